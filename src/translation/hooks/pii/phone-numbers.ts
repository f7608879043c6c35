import type { Span } from '../../engine-api/engines.ts'
import { spansOf } from './spans-of.ts'

// A telephone number has no checksum and is recognised by its form. Bare digits count only with a leading 0 or +.

const MIN_INTERNATIONAL = 8
const MIN_NATIONAL = 9
/** A longer number without blanks is some other number. With blanks, the digits behind it may be part of it. */
const MAX_UNDIVIDED = 12

const GAP = String.raw`(?:[ \u00a0]?[-./–][ \u00a0]?|[ \u00a0])?`
const MORE = String.raw`(?:${GAP}(?:\(\d{1,5}\)|\d)){6,16}`
const NOT_BEFORE = String.raw`(?<![\p{L}\p{N}+.,:/-])`
const NOT_AFTER = String.raw`(?![\p{L}\p{N}]|[:.,/-]\d)`

const INTERNATIONAL = new RegExp(String.raw`${NOT_BEFORE}(?:\+|00)[1-9]\d?${MORE}${NOT_AFTER}`, 'gu')
const NATIONAL = new RegExp(String.raw`${NOT_BEFORE}0\d${MORE}${NOT_AFTER}`, 'gu')
const NATIONAL_IN_BRACKETS = new RegExp(String.raw`${NOT_BEFORE}\(0\d{1,4}\)${MORE}${NOT_AFTER}`, 'gu')
const AMERICAN = new RegExp(
  String.raw`${NOT_BEFORE}(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]\d{4}${NOT_AFTER}`,
  'gu',
)
const DATE = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/

export function phoneNumbers(text: string): Span[] {
  return [
    ...spansOf(text, INTERNATIONAL, (match) => digitsIn(match) >= MIN_INTERNATIONAL),
    ...spansOf(text, NATIONAL_IN_BRACKETS, isNational),
    ...spansOf(text, NATIONAL, isNational),
    ...spansOf(text, AMERICAN),
  ]
}

function isNational(match: string): boolean {
  const max = /^\d+$/.test(match) ? MAX_UNDIVIDED : Number.POSITIVE_INFINITY
  return digitsIn(match) >= MIN_NATIONAL && digitsIn(match) <= max && !DATE.test(match)
}

function digitsIn(match: string): number {
  return match.replace(/\D/g, '').length
}
