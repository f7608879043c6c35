import { isUtf8 } from 'node:buffer'
import type { ContentPart, Message } from '../../contract/chat.ts'
import type { GuardPhase } from '../../translation/guardrails/check.ts'
import { readFileData } from '../../translation/dialects/data-url.ts'
import { sniffBase64 } from '../../translation/dialects/sniff-base64.ts'
import type { GuardedValue } from './guarded-texts.ts'

// Text files of a chat: their bytes are a text, which a provider reads, and which some dialects send as one.

/** A file with the text in it, and its place in the message. */
type GuardedFile = GuardedValue<ContentPart> & { at: number }

/** Types that a text file may have by its name. */
const TEXTUAL = /^text\/|[/+](?:json|x-ndjson|xml|yaml|x-yaml|javascript|csv|markdown|toml|sql)$/

/** The text files of a message. */
export function guardedFiles({ content }: Message, phase: GuardPhase): GuardedFile[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((part, at): GuardedFile[] => {
    const text = textIn(part)
    if (text === undefined) return []
    return [{ at, value: part, texts: [{ text, phase, isFixed: false }], with: ([left]) => withText(part, left!) }]
  })
}

/** Images, audio and files that no check can read. */
export function hasUnreadFile({ content }: Message): boolean {
  if (!Array.isArray(content)) return false
  return content.some((part) => part.type !== 'text' && part.type !== 'refusal' && textIn(part) === undefined)
}

function textIn(part: ContentPart): string | undefined {
  const data = dataOf(part)
  if (!data) return undefined
  const { type, base64 } = readFileData(data)
  return textOf(base64, TEXTUAL.test(type))
}

function dataOf(part: ContentPart): string | undefined {
  if (part.type === 'file') return typeof part.file.file_data === 'string' ? part.file.file_data : undefined
  if (part.type !== 'image_url') return undefined
  const url = typeof part.image_url === 'string' ? part.image_url : part.image_url.url
  return /^data:/i.test(url) ? url : undefined
}

/** A text in UTF-8, in UTF-16 with its mark, or in bytes that are called a text or begin as one. A PDF file is none, though all of it may be ASCII. */
function textOf(base64: string, isNamedText: boolean): string | undefined {
  const begin = sniffBase64(base64)
  if (!isNamedText && begin !== undefined && begin !== 'text/plain') return undefined
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0) return undefined
  const wide = wideEncoding(bytes)
  if (wide) return new TextDecoder(wide).decode(bytes)
  if (isUtf8(bytes)) return bytes.toString('utf8')
  return isNamedText || begin === 'text/plain' ? new TextDecoder('windows-1252').decode(bytes) : undefined
}

function wideEncoding([first, second]: Buffer): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

function withText(part: ContentPart, text: string): ContentPart {
  const { type } = readFileData(dataOf(part)!)
  const data = `data:${type || 'text/plain'};base64,${Buffer.from(text).toString('base64')}`
  if (part.type === 'file') return { ...part, file: { ...part.file, file_data: data } }
  if (part.type !== 'image_url') return part
  return { ...part, image_url: typeof part.image_url === 'string' ? data : { ...part.image_url, url: data } }
}
