import { isRecord } from '../../../base/schema/record.ts'
import { tryParse } from '../../json/try-parse.ts'

const REASONING = /^\s*<think>[\s\S]*?<\/think>/
const FENCE = '```'

/** The JSON object in a model's text: bare, in a code fence, or with words around it. Undefined if there is none. */
export function parseAnswer(content: string): Record<string, unknown> | undefined {
  const text = content.replace(REASONING, '').trim()
  const candidates = [text, fenced(text), text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)]
  return candidates.map((text) => tryParse(text)).find(isRecord)
}

/** The text between the first two fences, without the line of the first. */
function fenced(text: string): string {
  const open = text.indexOf(FENCE)
  const start = open < 0 ? -1 : text.indexOf('\n', open)
  const close = start < 0 ? -1 : text.indexOf(FENCE, start)
  return close < 0 ? '' : text.slice(start, close).trim()
}
