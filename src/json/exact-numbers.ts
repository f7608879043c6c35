// Numbers with their digits. A double holds about 17 of them, and JSON.stringify writes 1.10 as 1.1. The numbers of a caller
// are returned as the caller wrote them, so those that would change are kept as their text.

type RawNumber = { rawJSON: string }

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

/** Whether a text may contain a number that JSON.stringify writes differently. */
const MAY_CHANGE = /\d[.eE]|\d{16}|-0/
const DECIMAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Like JSON.parse, but a number that JSON.stringify would write differently becomes an object that it writes unchanged. */
export function parseExactly(text: string): unknown {
  if (!MAY_CHANGE.test(text)) return JSON.parse(text)
  const keepDigits: Reviver = (_key, value, { source }) => {
    return typeof value === 'number' && source !== undefined && source !== String(value) ? JSON.rawJSON(source) : value
  }
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
}

/** As ECMAScript writes the number, unless that is another value: then with its own digits. */
export function ecmaScriptNumber({ rawJSON }: RawNumber): string {
  const written = String(Number(rawJSON))
  if (isZero(rawJSON)) return '0'
  return decimalOf(rawJSON) === decimalOf(written) ? written : rawJSON
}

function isZero(text: string): boolean {
  return /^-?[0.]+(?:[eE]|$)/.test(text)
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
