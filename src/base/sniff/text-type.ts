import { isUtf8 } from 'node:buffer'
import { HEAD_BYTES } from './head-bytes.ts'
import { tableType } from './table-type.ts'

// Text is valid UTF-8 without control characters, or UTF-16 with a byte-order mark.

/** All ASCII control characters except tab, line feed, form feed and carriage return. */
const CONTROL = /(?![\t\n\f\r\u0080-\u009f])\p{Cc}/u
const MAX_CHARACTER_BYTES = 4

export function textType(head: Buffer): string | undefined {
  if (head.length === 0) return undefined
  const cut = head.length >= HEAD_BYTES
  const text = decode(head, cut)
  if (text === undefined || CONTROL.test(text)) return undefined
  return isJson(text, cut) ? 'application/json' : (tableType(text, cut) ?? 'text/plain')
}

function decode(head: Buffer, cut: boolean): string | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return decodeUtf16(head, 'utf-16le', cut)
  if (head[0] === 0xfe && head[1] === 0xff) return decodeUtf16(head, 'utf-16be', cut)
  const whole = cut ? withoutCutCharacter(head) : head
  return isUtf8(whole) ? whole.toString('utf8').replace(/^\ufeff/, '') : undefined
}

function decodeUtf16(head: Buffer, encoding: string, cut: boolean): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(head, { stream: cut })
  } catch {
    return undefined
  }
}

/** The head may end in the middle of a character. */
function withoutCutCharacter(head: Buffer): Buffer {
  for (let back = 1; back < MAX_CHARACTER_BYTES; back++)
    if (head[head.length - back]! >= 0xc0) return head.subarray(0, head.length - back)
  return head
}

/** A complete document has to parse. Of a longer one, only the beginning is known. */
function isJson(text: string, cut: boolean): boolean {
  if (!/^\s*[{[]/.test(text)) return false
  if (cut) return /^\s*(\{\s*"([^"\\]|\\.)*"\s*:|\[\s*(["{[]|-?\d|true\b|false\b|null\b))/.test(text)
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
