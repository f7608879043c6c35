import type { Tools } from '../feature.ts'
import { typeOf } from '../http/file-kinds.ts'
import { TaskFailure } from '../http/task-failure.ts'

/** The requested format, or one with transparency. Other formats could not be recognized by the receiver. */
export function imageFormat(value: unknown, formats: readonly string[]): string {
  const format = value === undefined || value === null ? 'png' : String(value).toLowerCase()
  if (formats.includes(format)) return format
  throw new TaskFailure('bad_request', `the format should be one of ${formats.join(', ')}`)
}

/** The output of a task that cuts something out of an image. */
export async function cutoutOf(bytes: Uint8Array, format: string, tools: Tools) {
  const type = typeOf(format)
  const image_resource_url = await tools.keep({ name: `cutout.${format}`, type, bytes })
  const image_b64 = Buffer.from(bytes).toString('base64')
  return { output: { image_b64, image_resource_url }, original: { type, size: bytes.length }, units: 1 }
}
