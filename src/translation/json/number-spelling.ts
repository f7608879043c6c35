/** Every decimal number of up to 15 digits survives in a double. */
const SAFE_CHARS = 15
const DECIMAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
/** Whether a text may contain a number that JSON.stringify writes with other digits. */
export const MAY_BE_REWRITTEN = /\d[eE]|\.\d*0(?!\d)|0\.000000|-0|[\d.]{16}/
/** At the start of a number that JSON.stringify may write otherwise. */
const ODD = /-0(?![.\d])|-?(?:[\d.]{16}|\d+[eE]|\d+\.\d*0(?!\d)|\d+\.\d+[eE]|0\.000000)/y

/** Whether an odd number starts here. Other numbers are written again as they were. */
export function isOddNumber(text: string, at: number): boolean {
  ODD.lastIndex = at
  return ODD.test(text)
}

/** Whether a number that was written like this has another value as a double. */
export function changes(source: string, value: number): boolean {
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
