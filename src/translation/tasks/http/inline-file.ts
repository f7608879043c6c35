import { asBuffer } from '../../../base/bytes/as-buffer.ts'
import type { TaskFile } from '../feature.ts'

export async function base64Of(file: TaskFile): Promise<string> {
  const bytes = await file.bytes()
  return asBuffer(bytes).toString('base64')
}

export async function dataUrlOf(file: TaskFile): Promise<string> {
  return `data:${file.type};base64,${await base64Of(file)}`
}
