import type { Engines, PersonalData, PersonalKind } from '../../engine-api/engines.ts'
import { findPersonalData } from '../../hooks/pii/personal-data.ts'
import { streetAddresses } from './street-addresses.ts'
import { mergedSpans, peopleIn, readEnglish } from './tagged-spans.ts'

/** Numbers by their form and check digits, streets by their form, people by their names. */
export function findPrivate({ texts, kinds }: Engines['privacy']['input']): PersonalData[][] {
  return texts.map((text) => {
    const addresses = kinds.includes('address') ? streetAddresses(text) : []
    const people = kinds.includes('name') ? peopleIn(text, readEnglish(text), 'name') : []
    return mergedSpans(findPersonalData(text, kinds), addresses.map(ofKind('address')), people.map(ofKind('name')))
  })
}

function ofKind(kind: PersonalKind) {
  return ({ start, end }: { start: number; end: number }): PersonalData => ({ start, end, kind })
}
