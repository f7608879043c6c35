import { changes, MAY_BE_REWRITTEN } from './number-spelling.ts'
import { memberText, type ReadText } from './parse-body.ts'

// Numbers with their digits. A double holds about 17 of them: JSON.parse changes 12345678901234567890, and what a caller wrote
// has to come back as it was.

declare global {
  interface JSON {
    rawJSON(text: string): object
  }
}

/** A number that a double cannot hold, as its text. */
export class ExactNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }

  toJSON(): object {
    return JSON.rawJSON(this.source)
  }
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

/** Whether a text may contain a number whose value JSON.parse changes. */
const MAY_CHANGE = /\d[eE]|[\d.]{16}/
const STRING_OR_BLANKS = /"[^"\\]*(?:\\.[^"\\]*)*"|[ \t\r\n]+/g

/** Like JSON.parse, but a number whose value would change becomes an ExactNumber. */
export function parseExactly(text: string): unknown {
  if (!MAY_CHANGE.test(text)) return JSON.parse(text)
  const keepValue: Reviver = (_key, value, { source }) => {
    return typeof value === 'number' && source !== undefined && changes(source, value) ? new ExactNumber(source) : value
  }
  return JSON.parse(text, keepValue as (key: string, value: unknown) => unknown)
}

/** Like JSON.parse, but JSON.stringify writes every number with its digits again. Of a repeated key, the last value counts. */
export function parseWithDigits(text: string): unknown {
  const keepDigits: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
}

/** Like parseWithDigits, but numbers that JSON.stringify writes with these digits anyway stay numbers. */
export function parseToSend(text: string): unknown {
  if (!MAY_BE_REWRITTEN.test(text)) return JSON.parse(text)
  const keepOdd: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && source !== String(value) ? JSON.rawJSON(source) : value
  return JSON.parse(text, keepOdd as (key: string, value: unknown) => unknown)
}

/** The texts of those members of a body that JSON.parse and JSON.stringify together may change, by name. */
export function exactMembers(body: ReadText, names: readonly string[]): Record<string, string> {
  const texts = names.map((name) => [name, memberText(body, name)] as const)
  return Object.fromEntries(
    texts.flatMap(([name, text]) => (text && MAY_BE_REWRITTEN.test(text) ? [[name, text]] : [])),
  )
}

/** The value with the digits of the members whose texts are given. */
export function withDigits<Value extends object>(value: Value, texts: Readonly<Record<string, string>> = {}): Value {
  const exact = Object.entries(texts).map(([name, text]) => [name, parseWithDigits(text)])
  return { ...value, ...Object.fromEntries(exact) }
}

/** The same JSON without blanks between its parts, and with every digit. */
export function withoutBlanks(json: string): string {
  return json.replace(STRING_OR_BLANKS, (found) => (found.startsWith('"') ? found : ''))
}
