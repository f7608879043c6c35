import { isUtf8 } from 'node:buffer'
import { extra, jsonInvalid } from '../../base/schema/issue-messages.ts'
import { problem } from '../../contract/problems.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import { countKeys } from './count-keys.ts'
import { type Edit, editText } from './edit-json.ts'
import { type Outline, outline } from './outline.ts'
import { noteWritten } from './written-numbers.ts'

/** A parsed body and its text, so that the body can be passed on without serialising it again. */
export type JsonBody<Value = unknown> = {
  value: Value
  text: string
  outline: Outline
  /**
   * Some object has a repeated key. Receivers differ in which of the two values they use, so such a text is not passed on.
   */
  repeated: boolean
}

export function parseBody(bytes: Buffer): JsonBody {
  return parseText(readText(bytes))
}

/** A text that is safe to parse. The type is for callers that do something else before they parse it. */
export type ReadText = { text: string; outline: Outline }

export function readText(bytes: Buffer): ReadText {
  if (!isUtf8(bytes)) throw invalid('the body is not valid UTF-8')
  const text = bytes.toString('utf8')
  return { text, outline: outline(text) }
}

export function parseText({ text, outline: found }: ReadText): JsonBody {
  const value = noteWritten(parse(text), text, found)
  const { count, hasPoison } = countKeys(value)
  if (hasPoison) refusePoison(value)
  return { value, text, outline: found, repeated: found.keys !== count }
}

/** The body with another value of a top-level member. The rest of its text stays as it was. */
export function withMember(body: ReadText, key: string, value: string): JsonBody {
  return withEdit(body, { set: { [key]: value }, drop: NONE })
}

/** The body with other top-level members. */
export function withEdit({ text, outline: found }: ReadText, edit: Edit): JsonBody {
  const edited = editText(text, found, edit)
  return parseText({ text: edited, outline: outline(edited) })
}

const NONE: ReadonlySet<string> = new Set()

/** The text of a top-level member. If it is repeated, that of the last one, as in JSON.parse. */
export function memberText({ text, outline: { members } }: ReadText, key: string): string | undefined {
  const member = members.findLast((one) => one.key === key)
  return member && text.slice(member.valueStart, member.end)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(error instanceof Error ? withoutQuotedInput(error.message) : 'not JSON')
  }
}

/**
 * JSON.parse leaves `__proto__` as an own key, which is harmless until code copies the object key by key. No honest
 * client sends it.
 */
function refusePoison(value: unknown): void {
  const path = wayToPoison(value)
  if (path) throw refused(extra(['body', ...path]))
}

/**
 * The path is built on the way back: building a list for every value, of which hardly any is poison, took longer than
 * everything else.
 */
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

// V8 quotes the text around the error, which may contain a prompt or a secret.
function withoutQuotedInput(message: string): string {
  return /at position \d+/.exec(message)?.[0] ?? 'it ends too early or contains an unexpected character'
}
