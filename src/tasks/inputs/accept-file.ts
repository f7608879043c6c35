import type { TaskFile } from '../feature.ts'
import { declined } from '../http/declined.ts'
import type { TaskFailure } from '../http/task-failure.ts'

export type Accepted = {
  /** Media types, or whole families of them such as `image/*`. */
  types: readonly string[]
  /** The largest file; without one the provider names no limit. */
  megabytes?: number
  pages?: number
}

const BYTES = 1024 * 1024

/** What was said of files that were declined: who offers one that nobody takes hears what is taken. */
const TAKEN = new WeakMap<TaskFailure, Accepted>()

/** What a provider is known to refuse is refused before it is sent there, with the reason. */
export function acceptFile(file: TaskFile, accepted: Accepted): TaskFile {
  const { types, megabytes, pages } = accepted
  if (!types.some((type) => fits(file.type, type))) throw otherKind(file, accepted)
  if (megabytes !== undefined && file.size > megabytes * BYTES)
    throw declined(`this provider takes files of up to ${megabytes} MB here`, 422, 'file_too_large')
  if (pages !== undefined && (file.pages ?? 1) > pages)
    throw declined(`this provider takes up to ${pages} pages here, not ${file.pages}`, 422, 'too_many_pages')
  return file
}

/** What is taken in place of the file that was declined; undefined where it failed for another reason. */
export function takenInstead(failure: unknown): Accepted | undefined {
  return TAKEN.get(failure as TaskFailure)
}

function otherKind({ type }: TaskFile, accepted: Accepted): TaskFailure {
  const message = `this provider takes ${accepted.types.join(', ')} here, not ${type}`
  const failure = declined(message, 415, 'unsupported_media_type')
  TAKEN.set(failure, accepted)
  return failure
}

function fits(type: string, accepted: string): boolean {
  return accepted.endsWith('/*') ? type.startsWith(accepted.slice(0, -1)) : type === accepted
}
