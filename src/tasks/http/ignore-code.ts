import { TaskFailure } from './task-failure.ts'

/** A refusal with this code is as good as an answer: what is asked for was done before. */
export async function ignoreCode<Reply>(code: string, pending: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await pending
  } catch (error) {
    if (error instanceof TaskFailure && error.code === code) return undefined
    throw error
  }
}
