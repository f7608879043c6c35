import { passesLuhn } from './checksums.ts'
import type { Span } from '../../engine-api/engines.ts'

const [MIN_DIGITS, MAX_DIGITS] = [13, 19]
/** Cards are written in groups of four, or of four, six and five digits, never in pairs. */
const [MIN_FIRST_GROUP, MIN_GROUP] = [4, 3]
/** The first digits that card networks use. */
const NETWORKS = /^(?:4|5[1-5]|2[2-7]|3[0-9]|6[0245-9]|50|5[6-9]|81)/
/** Skips the decimals of a number. */
const GROUP = /(?<!\d|\d\.)\d+/g

type Group = Span & { digits: string }

/**
 * Finds bank card numbers by Luhn's checksum. A number may begin and end with any group of digits, so that digits beside
 * it, separated by a blank (an expiry date, another card), do not hide it.
 */
export function cards(text: string): Span[] {
  const groups = groupsIn(text)
  const found: Span[] = []
  for (let first = 0; first < groups.length; first++) {
    const last = lastGroup(text, groups, first)
    if (last === undefined) continue
    found.push({ start: groups[first]!.start, end: groups[last]!.end })
    first = last
  }
  return found
}

/** The longest card number that begins here. */
function lastGroup(text: string, groups: readonly Group[], first: number): number | undefined {
  let digits = ''
  let found: number | undefined
  for (let at = first; at < groups.length && digits.length < MAX_DIGITS; at++) {
    const group = groups[at]!
    if (at > first && !isJoined(text, groups[at - 1]!, group)) break
    if (group.digits.length < (at === first ? MIN_FIRST_GROUP : MIN_GROUP)) break
    digits += group.digits
    if (isCard(digits)) found = at
  }
  return found
}

function isJoined(text: string, { end }: Group, { start }: Group): boolean {
  return start === end + 1 && /[ \u00a0-]/.test(text[end]!)
}

function isCard(digits: string): boolean {
  const isLong = digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS
  return isLong && NETWORKS.test(digits) && passesLuhn(digits)
}

function groupsIn(text: string): Group[] {
  return [...text.matchAll(GROUP)].map(({ index, 0: digits }) => ({ start: index, end: index + digits.length, digits }))
}
