import { isUtf8 } from 'node:buffer'
import { extra, jsonInvalid } from '../schema/issue-messages.ts'
import { problem } from '../contract/problems.ts'
import type { ValidationIssue } from '../schema/validation-issue.ts'
import { countKeys } from './count-keys.ts'
import { type Outline, outline } from './outline.ts'

/** A parsed body with the text it came from, so that it can be passed on without being written anew. */
export type JsonBody = {
  value: unknown
  text: string
  outline: Outline
  /** Some object has a key twice. Receivers differ in which of the two they believe: such a text is not passed on as it is. */
  repeated: boolean
}

export function parseBody(bytes: Buffer): JsonBody {
  return parseText(readText(bytes))
}

/** A body as text that may be parsed: the first half of the work, for those who do something else in between. */
export type ReadText = { text: string; outline: Outline }

export function readText(bytes: Buffer): ReadText {
  if (!isUtf8(bytes)) throw invalid('the body is not valid UTF-8')
  const text = bytes.toString('utf8')
  return { text, outline: outline(text) }
}

export function parseText({ text, outline: found }: ReadText): JsonBody {
  const value = parse(text)
  const { count, hasPoison } = countKeys(value)
  if (hasPoison) refusePoison(value)
  return { value, text, outline: found, repeated: found.keys !== count }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(error instanceof Error ? withoutQuotedInput(error.message) : 'not JSON')
  }
}

/** JSON.parse leaves `__proto__` as an own key, harmless until somebody copies it key by key; nobody sends it in good faith. */
function refusePoison(value: unknown): void {
  const place = wayToPoison(value)
  if (place) throw refused(extra(['body', ...place]))
}

/** The way is written down on the way back: a list for each value, which hardly ever is poison, took longer than all else. */
function wayToPoison(value: unknown): ValidationIssue['loc'] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const way = wayToPoison(value[index])
      if (way) return [index, ...way]
    }
    return undefined
  }
  for (const key in value) {
    const way = key === '__proto__' ? [] : wayToPoison((value as Record<string, unknown>)[key])
    if (way) return [key, ...way]
  }
  return undefined
}

function invalid(reason: string) {
  return refused(jsonInvalid(['body']), `The body is not valid JSON: ${reason}.`)
}

function refused(issue: ValidationIssue, message = `${issue.loc.join('.')}: ${issue.msg}`) {
  return problem('validation_error', { message, detail: [issue] })
}

// V8 quotes the neighbourhood of the error; a prompt or a secret may stand there.
function withoutQuotedInput(message: string): string {
  return /at position \d+/.exec(message)?.[0] ?? 'it ends too early or holds an unexpected character'
}
