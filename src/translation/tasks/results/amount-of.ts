/** The number in a text such as `$1,234.50`, `1.234,50 €` or `(12)`, which is negative; null if there is none. */
export function amountOf(text: string): number | null {
  const [digits] = /\d[\d.,'\u00a0\u202f ]*/.exec(text) ?? []
  if (digits === undefined) return null
  const plain = digits.replace(/[^\d.,]/g, '').replace(/(?<![.,])[.,]+$/, '')
  const value = Number(withPoint(plain))
  return /^[^\d]*[-−(]/.test(text) ? -value : value
}

/** The last separator is the decimal one, unless all digits are grouped by three: then it groups thousands. */
function withPoint(digits: string): string {
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','))
  if (last < 0) return digits
  const isGrouped = GROUPED.test(digits)
  const whole = digits.slice(0, last).replace(/[.,]/g, '')
  return isGrouped ? whole + digits.slice(last + 1) : `${whole}.${digits.slice(last + 1)}`
}

const GROUPED = /^[1-9]\d{0,2}([.,])\d{3}(\1\d{3})*$/
