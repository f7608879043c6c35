import { modulo } from './checksums.ts'
import type { Span } from '../../engine-api/engines.ts'

/** The length of an account number by country (registry of ISO 13616). */
const LENGTHS: Record<number, string> = {
  15: 'NO',
  16: 'BE',
  18: 'DK FI FK FO GL NL SD',
  19: 'MK SI',
  20: 'AT BA EE KZ LT LU MN XK',
  21: 'CH HR LI LV',
  22: 'BG BH CR DE GB GE IE ME RS VA',
  23: 'AE GI IL IQ OM SO TL',
  24: 'AD CZ ES MD PK RO SA SE SK TN VG',
  25: 'LY PT ST',
  26: 'IS TR',
  27: 'BI DJ FR GR IT MC MR SM',
  28: 'AL AZ BY CY DO GT HN HU LB NI PL SV',
  29: 'BR EG PS QA UA',
  30: 'JO KW MU YE',
  31: 'MT SC',
  32: 'LC',
  33: 'RU',
}
const LENGTH_OF = new Map(
  Object.entries(LENGTHS).flatMap(([length, countries]) => countries.split(' ').map((one) => [one, Number(length)])),
)
const BEGINNING = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}/giu
const SEPARATOR = /[ \u00a0-]/
const LETTER_OR_DIGIT = /[A-Z0-9]/i

/** Finds bank account numbers: the length has to match the country, and the checksum modulo 97 has to be right. */
export function ibans(text: string): Span[] {
  return [...text.matchAll(BEGINNING)].flatMap(({ index }) => {
    const end = endOf(text, index)
    return end === undefined ? [] : [{ start: index, end }]
  })
}

function endOf(text: string, start: number): number | undefined {
  const length = LENGTH_OF.get(text.slice(start, start + 2).toUpperCase())
  if (length === undefined) return undefined
  let number = ''
  let at = start
  for (; number.length < length; at++) {
    const character = text[at] ?? ''
    if (LETTER_OR_DIGIT.test(character)) number += character
    else if (!SEPARATOR.test(character) || !LETTER_OR_DIGIT.test(text[at - 1]!)) return undefined
  }
  return /[\p{L}\p{N}]/u.test(text[at] ?? '') || !isValid(number) ? undefined : at
}

/** Country and check digits move to the end; letters count from 10. */
function isValid(number: string): boolean {
  const turned = number.slice(4) + number.slice(0, 4)
  return (
    modulo(
      turned.replace(/[A-Z]/gi, (letter) => String(Number.parseInt(letter, 36))),
      97,
    ) === 1
  )
}
