import type { Static } from '../../schema/type.ts'
import { type ParamValues, withBlanks } from '../fields/blanks.ts'
import { IdentityDocument } from '../fields/identity-document.ts'
import { score } from '../fields/score.ts'

export type IdentityField = Exclude<keyof Static<typeof IdentityDocument>, 'country' | 'image_id' | 'image_signature'>
export type Read = { field: IdentityField; value: string; confidence: number | null }

const IN_CAPITALS: readonly IdentityField[] = ['last_name']
const AS_TITLES: readonly IdentityField[] = [
  'birth_place',
  'nationality',
  'issuing_state',
  'document_type',
  'given_names',
]

/** Builds an identity document from values with their fields, and normalizes names and places. */
export function identityDocument(readings: readonly Read[], country?: string | undefined) {
  const fields: Record<string, unknown> = country ? { country: countryOf(country) } : {}
  for (const { field, value, confidence } of readings) {
    if (value.trim() === '') continue
    const reading = { value: written(field, value.trim()), confidence: confidence === null ? null : score(confidence) }
    if (field === 'given_names') fields.given_names = [...((fields.given_names as unknown[]) ?? []), reading]
    else fields[field] ??= reading
  }
  return withBlanks(IdentityDocument, fields as ParamValues<Static<typeof IdentityDocument>>)
}

function written(field: IdentityField, value: string): string {
  if (IN_CAPITALS.includes(field)) return value.toUpperCase()
  // A country code stays a code.
  if (!AS_TITLES.includes(field) || /^[A-Z]{2,3}$/.test(value)) return value
  return value.toLowerCase().replace(/(^|[\s'-])\p{L}/gu, (start) => start.toUpperCase())
}

/** A code of three or two letters; the name of a two-letter code is known. */
function countryOf(code: string) {
  const known = code.toLowerCase()
  if (/^[a-z]{3}$/.test(known)) return { alpha3: known }
  return /^[a-z]{2}$/.test(known) ? { alpha2: known, name: NAMES.of(code.toUpperCase()) ?? null } : { name: code }
}

const NAMES = new Intl.DisplayNames('en', { type: 'region' })
