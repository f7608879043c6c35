import type { TaskFile, Tools } from '../feature.ts'
import { nameWithExtension } from '../inputs/file-kinds.ts'

/** Where a provider that takes addresses only can get a file: where the caller has it, or a link to our own copy. */
export async function publicAddress(value: string, file: TaskFile, tools: Tools): Promise<string> {
  if (/^https?:\/\//.test(value)) return value
  return await tools.keep({ name: nameWithExtension(file), type: file.type, bytes: await file.bytes() })
}
