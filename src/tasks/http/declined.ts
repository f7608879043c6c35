import { TaskFailure } from './task-failure.ts'

/** This provider is known not to take this, so it is not asked; a fallback may take it. */
export function declined(message: string, status: 415 | 422, code: string): TaskFailure {
  return new TaskFailure('context_length', message, { status, code })
}
