import { TaskFailure } from './task-failure.ts'

/** A provider's id of a task. It becomes part of a path, so it must not contain anything that changes the path. */
export function ticketId(value: string): string {
  if (/^[A-Za-z0-9][\w.:-]{0,199}$/.test(value)) return value
  throw new TaskFailure('garbage', 'the answer of the provider contains no valid id of the task')
}
