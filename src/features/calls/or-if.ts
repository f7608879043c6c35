import { TaskFailure } from './task-failure.ts'

/** A refusal with this code is as good as an answer: what is asked for was done before. */
export async function orIf<Reply>(code: string, asked: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof TaskFailure && error.code === code) return undefined
    throw error
  }
}
