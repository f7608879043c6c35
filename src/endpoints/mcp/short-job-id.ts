import { isResourceId } from '../../base/schema/resource-id.ts'

// Ids of jobs are UUIDs, which models copy wrongly. Tools name a job by its first 48 bits and a check digit, in letters and digits
// that are not mistaken for each other: `job-7k2q9-xm4t3-h`.

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 10
const BITS_OF_DIGIT = 5n
const HEX_DIGITS = 12
const FORM = /^(?:job-?)?([0-9a-z]{5})-?([0-9a-z]{5})-?([0-9a-z])$/
/** What is read as another character. */
const ALIKE: Readonly<Record<string, string>> = { o: '0', i: '1', l: '1', u: 'v' }

export function shortJobId(id: string): string {
  let value = BigInt(`0x${id.replaceAll('-', '').slice(0, HEX_DIGITS)}`)
  let digits = ''
  for (let at = 0; at < LENGTH; at++) {
    digits = DIGITS[Number(value & 31n)]! + digits
    value >>= BITS_OF_DIGIT
  }
  return `job-${digits.slice(0, LENGTH / 2)}-${digits.slice(LENGTH / 2)}-${checkDigit(digits)}`
}

/** Between which ids the job is: the same one twice if the text is a whole id. Undefined if the text was copied wrongly. */
export function readJobId(text: string): { from: string; to: string } | undefined {
  const written = text.trim().toLowerCase()
  if (isResourceId(written)) return { from: written, to: written }
  const parts = FORM.exec(written)
  if (!parts) return undefined
  const [digits = '', check = ''] = [`${parts[1]}${parts[2]}`, parts[3]].map(readDigits)
  if (checkDigit(digits) !== check) return undefined
  const value = [...digits].reduce((sum, digit) => (sum << BITS_OF_DIGIT) | BigInt(DIGITS.indexOf(digit)), 0n)
  const hex = value.toString(16).padStart(HEX_DIGITS, '0')
  if (hex.length > HEX_DIGITS) return undefined
  const begin = `${hex.slice(0, 8)}-${hex.slice(8)}`
  return { from: `${begin}-0000-0000-000000000000`, to: `${begin}-ffff-ffff-ffffffffffff` }
}

function readDigits(text = ''): string {
  return [...text].map((one) => ALIKE[one] ?? one).join('')
}

/**
 * Finds one wrong character, unless it is `z` for `0`, and two neighbours in the wrong order: the weights differ, and the modulus is a
 * prime number.
 */
function checkDigit(digits: string): string {
  const sum = [...digits].reduce((total, digit, at) => total + (at + 1) * DIGITS.indexOf(digit), 0)
  return DIGITS_OF_CHECK[sum % DIGITS_OF_CHECK.length]!
}

/** A prime number of them, so that every weight counts. */
const DIGITS_OF_CHECK = DIGITS.slice(0, 31)
