import type { PersonalData, PersonalKind, Span } from '../../engine-api/engines.ts'
import { cards } from './cards.ts'
import { ibans } from './ibans.ts'
import { emails, ipAddresses } from './net-addresses.ts'
import { nationalIds } from './national-ids.ts'
import { phoneNumbers } from './phone-numbers.ts'

export type { PersonalData, Span }
export type Kind = PersonalKind

/** What no pattern tells: an engine has to read the text for it. */
export const READ_KINDS = ['address', 'name'] as const satisfies readonly Kind[]

/** Surest first: where two kinds overlap, the one that can be checked wins. */
const FINDERS = {
  email: emails,
  iban: ibans,
  card: cards,
  national_id: nationalIds,
  ip: ipAddresses,
  phone: phoneNumbers,
} satisfies Record<Exclude<Kind, (typeof READ_KINDS)[number]>, (text: string) => Span[]>

/** What patterns tell, at once and also in a stream. */
export const KINDS = Object.keys(FINDERS) as (keyof typeof FINDERS)[]

/** What all of them have. */
const TELLING = /[\d@]/

/** What is found, in the order of the text, without overlaps. */
export function findPersonalData(text: string, kinds: readonly Kind[]): PersonalData[] {
  if (!TELLING.test(text)) return []
  const found: PersonalData[] = []
  for (const kind of KINDS) {
    if (!kinds.includes(kind)) continue
    for (const span of FINDERS[kind](text)) if (!found.some((one) => overlap(one, span))) found.push({ ...span, kind })
  }
  return found.sort((one, other) => one.start - other.start)
}

function overlap(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end
}
