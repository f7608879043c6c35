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
/** Every decimal number of up to 15 digits survives in a double. */
const SAFE_CHARS = 15
const DECIMAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const STRING_OR_BLANKS = /"[^"\\]*(?:\\.[^"\\]*)*"|[ \t\r\n]+/g

/** Like JSON.parse, but a number whose value would change becomes an ExactNumber. */
export function parseExactly(text: string): unknown {
  if (!MAY_CHANGE.test(text)) return JSON.parse(text)
  const keepValue: Reviver = (_key, value, { source }) => {
    return typeof value === 'number' && source !== undefined && changes(source, value) ? new ExactNumber(source) : value
  }
  return JSON.parse(text, keepValue as (key: string, value: unknown) => unknown)
}

/** Whether a text may contain a number that JSON.stringify writes with other digits. */
const MAY_BE_REWRITTEN = /\d[eE]|\.\d*0(?!\d)|-0|[\d.]{16}/

/** Like JSON.parse, but JSON.stringify writes every number with its digits again. Of a repeated key, the last value counts. */
export function parseWithDigits(text: string): unknown {
  const keepDigits: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
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

function changes(source: string, value: number): boolean {
  if (source.length <= SAFE_CHARS && !/e/i.test(source)) return false
  return !/^-?[0.]+(?:e|$)/i.test(source) && decimalOf(source) !== decimalOf(String(value))
}

/** The same text for the same value: its digits without zeros around them, and its exponent. */
function decimalOf(text: string): string | undefined {
  const [, whole, fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = withoutZerosAtTheEnd(digits)
  const sign = text.startsWith('-') ? '-' : ''
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/** A pattern for this would look at each zero as often as there are zeros after it. */
function withoutZerosAtTheEnd(digits: string): string {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
