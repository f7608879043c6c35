import type { TaskFile, Tools } from '../feature.ts'
import { nameWithExtension } from './file-kinds.ts'

/** The URL of a file for providers that accept only URLs: the caller's own, or a link to our copy. */
export async function publicAddress(value: string, file: TaskFile, tools: Tools): Promise<string> {
  if (/^https?:\/\//.test(value)) return value
  return await tools.keep({ name: nameWithExtension(file), type: file.type, bytes: await file.bytes() })
}
