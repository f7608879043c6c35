import { modulo, passesLuhn, passesMod1110, passesVerhoeff, weighted } from './checksums.ts'
import type { Span } from '../../engine-api/engines.ts'
import { spansOf } from './spans-of.ts'

/** National identity numbers: those with a checksum, and two that are recognisable by their form. */
type NationalId = { country: string; form: string; isValid?(number: string): boolean }

const IDS: NationalId[] = [
  { country: 'AT', form: String.raw`\d{4}[ -]\d{6}`, isValid: isAustrian },
  { country: 'BE', form: String.raw`\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}`, isValid: isBelgian },
  { country: 'BR', form: String.raw`\d{3}\.\d{3}\.\d{3}-\d{2}|\d{11}`, isValid: isBrazilian },
  { country: 'CA', form: String.raw`\d{3}([ -])\d{3}\1\d{3}`, isValid: passesLuhn },
  { country: 'CH', form: String.raw`756\.?\d{4}\.?\d{4}\.?\d{2}`, isValid: isSwiss },
  { country: 'CN', form: String.raw`\d{6}(?:19|20)\d{9}[\dX]`, isValid: isChinese },
  { country: 'DE', form: String.raw`[1-9]\d(?: ?\d{3}){3}`, isValid: isGerman },
  { country: 'ES', form: String.raw`(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]`, isValid: isSpanish },
  { country: 'FR', form: String.raw`[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}`, isValid: isFrench },
  { country: 'GB', form: String.raw`[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: ?\d{2}){3} ?[A-D]` },
  { country: 'IN', form: String.raw`[2-9]\d{3}([ -]?)\d{4}\1\d{4}`, isValid: passesVerhoeff },
  { country: 'IT', form: String.raw`[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]`, isValid: isItalian },
  { country: 'PL', form: String.raw`\d{2}[0-3]\d[0-3]\d{6}`, isValid: isPolish },
  { country: 'SE', form: String.raw`\d{2}[01]\d[0-3]\d[-+]\d{4}`, isValid: passesLuhn },
  { country: 'US', form: String.raw`(?!000|666|9)\d{3}([ -])(?!00)\d{2}\1(?!0000)\d{4}` },
]

const FORMS = IDS.map(({ form, isValid }) => {
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}]|\d[.-])(?:${form})(?![\p{L}\p{N}]|[.-]\d)`, 'giu')
  return { pattern, isValid: (match: string) => isValid?.(bare(match)) ?? true }
})

export function nationalIds(text: string): Span[] {
  return FORMS.flatMap(({ pattern, isValid }) => spansOf(text, pattern, isValid))
}

function bare(number: string): string {
  return number.replace(/[^\dA-Z]/gi, '').toUpperCase()
}

function isAustrian(digits: string): boolean {
  const rest = weighted(digits.slice(0, 3) + digits.slice(4), [3, 7, 9, 5, 8, 4, 2, 1, 6]) % 11
  return rest === Number(digits[3]) && isMonth(digits.slice(6, 8), 13)
}

/** For people born since 2000 the checksum is computed with a leading 2. */
function isBelgian(digits: string): boolean {
  const [body, check] = [digits.slice(0, 9), Number(digits.slice(9))]
  return [body, `2${body}`].some((one) => 97 - modulo(one, 97) === check) && isMonth(digits.slice(2, 4))
}

function isBrazilian(digits: string): boolean {
  const check = (length: number) => {
    const weights = Array.from({ length }, (_, index) => length + 1 - index)
    return ((weighted(digits.slice(0, length), weights) * 10) % 11) % 10
  }
  return !/^(\d)\1+$/.test(digits) && check(9) === Number(digits[9]) && check(10) === Number(digits[10])
}

function isSwiss(digits: string): boolean {
  return weighted(digits, [1, 3]) % 10 === 0
}

function isChinese(number: string): boolean {
  const sum = weighted(number.slice(0, 17), [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2])
  return '10X98765432'[sum % 11] === number[17] && isMonth(number.slice(10, 12))
}

/** Among the first ten digits, one occurs two or three times, and one or two are missing. */
function isGerman(digits: string): boolean {
  const different = new Set(digits.slice(0, 10)).size
  return (different === 8 || different === 9) && passesMod1110(digits)
}

function isSpanish(number: string): boolean {
  const digits = number.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)))
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(digits) % 23] === number.at(-1)
}

/** The departments of Corsica are 2A and 2B. */
function isFrench(number: string): boolean {
  const digits = number.replace('2A', '19').replace('2B', '18')
  return 97 - modulo(digits.slice(0, 13), 97) === Number(digits.slice(13))
}

const ITALIAN_ODD = '1 0 5 7 9 13 15 17 19 21 2 4 18 20 11 3 6 8 12 14 16 10 22 25 24 23'.split(' ').map(Number)

/** Characters count by their position in the alphabet; those at odd positions by a table. */
function isItalian(number: string): boolean {
  const sum = [...number.slice(0, 15)].reduce((total, character, index) => {
    const value = /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65
    return total + (index % 2 === 0 ? ITALIAN_ODD[value]! : value)
  }, 0)
  return String.fromCharCode(65 + (sum % 26)) === number[15]
}

/** Months of other centuries are offset by 20, 40, 60 and 80. */
function isPolish(digits: string): boolean {
  const month = String(Number(digits.slice(2, 4)) % 20).padStart(2, '0')
  return weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0 && isMonth(month)
}

function isMonth(text: string, last = 12): boolean {
  return Number(text) >= 1 && Number(text) <= last
}
