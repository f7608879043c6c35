import type { Finding } from '../contract/engines.ts'
import { findPersonalData, KINDS, type Kind } from '../hooks/pii/personal-data.ts'
import { streetAddresses } from './street-addresses.ts'
import { mergedSpans, peopleIn, readEnglish } from './tagged-spans.ts'

const LABELS: Record<Kind, string> = {
  email: 'email',
  iban: 'iban',
  card: 'credit card',
  national_id: 'national id',
  ip: 'ip address',
  phone: 'phone',
}

/** Numbers by their form and check digits, streets by their form, people by their names. */
export function findPrivate({ text }: { text: string }): Finding[] {
  const numbers = findPersonalData(text, KINDS).map(({ start, end, kind }) => ({ start, end, label: LABELS[kind] }))
  return mergedSpans(numbers, streetAddresses(text), peopleIn(text, readEnglish(text), 'person'))
}
