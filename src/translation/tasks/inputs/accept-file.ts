import type { TaskFile } from '../feature.ts'
import { declined } from '../http/declined.ts'
import type { TaskFailure } from '../http/task-failure.ts'
import { MB } from '../../../base/units/units.ts'

export type Accepted = {
  /** Media types, or whole families of them such as `image/*`. */
  types: readonly string[]
  /** The largest file; absent if the provider documents no limit. */
  megabytes?: number
  pages?: number
}

/** Remembers what was accepted when a file was declined, for accepted-by.ts. */
const TAKEN = new WeakMap<TaskFailure, Accepted>()

/** Refuses a file that the provider is known to refuse, with the reason and without a request. */
export function acceptFile(file: TaskFile, accepted: Accepted): TaskFile {
  const { types, megabytes, pages } = accepted
  if (!types.some((type) => fits(file.type, type))) throw otherKind(file, accepted)
  if (megabytes !== undefined && file.size > megabytes * MB)
    throw declined(`this provider accepts files of up to ${megabytes} MB for this task`, 422, 'file_too_large')
  if (pages !== undefined && (file.pages ?? 1) > pages)
    throw declined(`this provider accepts up to ${pages} pages for this task, not ${file.pages}`, 422, 'too_many_pages')
  return file
}

/** What the adapter accepts instead of the declined file; undefined if it failed for another reason. */
export function takenInstead(failure: unknown): Accepted | undefined {
  return TAKEN.get(failure as TaskFailure)
}

function otherKind({ type }: TaskFile, accepted: Accepted): TaskFailure {
  const message = `this provider accepts ${accepted.types.join(', ')} for this task, not ${type}`
  const failure = declined(message, 415, 'unsupported_media_type')
  TAKEN.set(failure, accepted)
  return failure
}

function fits(type: string, accepted: string): boolean {
  return accepted.endsWith('/*') ? type.startsWith(accepted.slice(0, -1)) : type === accepted
}
