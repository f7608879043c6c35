import { TaskFailure } from './task-failure.ts'

/** The provider is known not to accept this input, so it is not called; a fallback may accept it. */
export function declined(message: string, status: 400 | 415 | 422, code: string): TaskFailure {
  return new TaskFailure('context_length', message, { status, code })
}
