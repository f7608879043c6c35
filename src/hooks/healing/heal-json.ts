import { tryParse } from '../../json/try-parse.ts'
import { writeJson } from './write-json.ts'

const MAX_BEGINNINGS = 20
const FENCE = '```'
const THINKING = ['<think>', '</think>'] as const

/**
 * The JSON in what a model wrote: as it stands where it is whole, otherwise mended. Undefined where there is none.
 * Numbers are never read and written again: long ones keep their digits.
 */
export function healJson(answer: string): string | undefined {
  const text = withoutThoughts(answer).trim()
  const candidates = [text, ...fenced(text)]
  return candidates.find(isJson) ?? candidates.reverse().map(mended).find(isJson)
}

function isJson(text: string | undefined): text is string {
  return text !== undefined && tryParse(text) !== undefined
}

function withoutThoughts(text: string): string {
  const [open, close] = THINKING
  if (!text.trimStart().startsWith(open)) return text
  const end = text.indexOf(close)
  return end < 0 ? text : text.slice(end + close.length)
}

/** What stands between two fences, or behind one that is not closed. */
function fenced(text: string): string[] {
  const open = text.indexOf(FENCE)
  if (open < 0) return []
  const start = text.indexOf('\n', open)
  if (start < 0) return []
  const close = text.indexOf(FENCE, start)
  return [text.slice(start, close < 0 ? text.length : close).trim()]
}

/** The first place where an object or a list can be read, words before and after it aside. */
function mended(text: string): string | undefined {
  const beginning = /[{[]/g
  for (let tries = 0; tries < MAX_BEGINNINGS && beginning.test(text); tries++) {
    const written = writeJson(text, beginning.lastIndex - 1)
    if (written !== undefined) return written
  }
  return undefined
}
