import { TaskFailure } from './task-failure.ts'

/** An error with this code counts as success: the operation has been done before. */
export async function ignoreCode<Reply>(code: string, pending: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await pending
  } catch (error) {
    if (error instanceof TaskFailure && error.code === code) return undefined
    throw error
  }
}
