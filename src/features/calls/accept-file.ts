import type { TaskFile } from '../feature.ts'
import { declined } from './declined.ts'

export type Accepted = {
  /** Media types, or whole families of them such as `image/*`. */
  types: readonly string[]
  megabytes: number
  pages?: number
}

const BYTES = 1024 * 1024

/** What a provider is known to refuse is refused before it is sent there, with the reason. */
export function acceptFile(file: TaskFile, { types, megabytes, pages }: Accepted): TaskFile {
  if (!types.some((type) => fits(file.type, type)))
    throw declined(`this provider takes ${types.join(', ')} here, not ${file.type}`, 415, 'unsupported_media_type')
  if (file.size > megabytes * BYTES)
    throw declined(`this provider takes files of up to ${megabytes} MB here`, 422, 'file_too_large')
  if (pages !== undefined && (file.pages ?? 1) > pages)
    throw declined(`this provider takes up to ${pages} pages here, not ${file.pages}`, 422, 'too_many_pages')
  return file
}

function fits(type: string, accepted: string): boolean {
  return accepted.endsWith('/*') ? type.startsWith(accepted.slice(0, -1)) : type === accepted
}
