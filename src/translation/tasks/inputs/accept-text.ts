import { declined } from '../http/declined.ts'

/** Refuses a text that is too long for the provider, without a request. */
export function acceptText(text: string, limit: { bytes: number } | { characters: number }): string {
  const [size, max, unit] =
    'bytes' in limit
      ? [Buffer.byteLength(text), limit.bytes, 'bytes of UTF-8']
      : [text.length, limit.characters, 'characters']
  if (size <= max) return text
  throw declined(`this provider accepts texts of up to ${max} ${unit} for this task, not ${size}`, 422, 'text_too_long')
}
