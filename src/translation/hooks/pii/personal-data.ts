import type { PersonalData, PersonalKind, Span } from '../../engine-api/engines.ts'
import { cards } from './cards.ts'
import { ibans } from './ibans.ts'
import { emails, ipAddresses } from './net-addresses.ts'
import { nationalIds } from './national-ids.ts'
import { phoneNumbers } from './phone-numbers.ts'

export type { PersonalData }
export type Kind = PersonalKind

/** Kinds that no pattern can find: an engine has to analyse the text. */
export const ENGINE_KINDS = ['address', 'name'] as const satisfies readonly Kind[]

/** The most reliable first: if two kinds overlap, the one with a checksum wins. */
const FINDERS = {
  email: emails,
  iban: ibans,
  card: cards,
  national_id: nationalIds,
  ip: ipAddresses,
  phone: phoneNumbers,
} satisfies Record<Exclude<Kind, (typeof ENGINE_KINDS)[number]>, (text: string) => Span[]>

/** Kinds that patterns can find, at once and also in a stream. */
export const KINDS = Object.keys(FINDERS) as (keyof typeof FINDERS)[]

/** Characters of which all kinds contain at least one. */
const TELLING = /[\d@]/

/** The findings in the order of the text, without overlaps. */
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
