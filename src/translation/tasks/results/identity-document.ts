import type { Static } from '../../../base/schema/type.ts'
import { type ParamValues, withBlanks } from '../fields/blanks.ts'
import { IdentityDocument } from '../fields/identity-document.ts'
import { countryInMrz, countryOf } from '../fields/country-of.ts'
import { score } from '../fields/score.ts'

export type IdentityField = Exclude<keyof Static<typeof IdentityDocument>, 'country' | 'image_id' | 'image_signature'>
export type ReadField = { field: IdentityField; value: string; confidence: number | null }

const IN_CAPITALS: readonly IdentityField[] = ['last_name']
const AS_TITLES: readonly IdentityField[] = [
  'birth_place',
  'nationality',
  'issuing_state',
  'document_type',
  'given_names',
]

/** What names the issuing country: a code or a name. */
type ReadCountry = { value: string | null | undefined; confidence: number | null }

/**
 * Builds an identity document from values with their fields, and normalizes names and places. A provider that does not name the
 * country may have read it in the machine-readable zone.
 */
export function identityDocument(readings: readonly ReadField[], named?: ReadCountry) {
  const mrz = readings.find(({ field, value }) => field === 'mrz' && value !== '')
  const country = named?.value ? named : mrz && { ...mrz, value: countryInMrz(mrz.value) }
  const fields: Record<string, unknown> = country?.value
    ? { country: toCountry(country.value, country.confidence) }
    : {}
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

function toCountry(value: string, confidence: number | null) {
  return { ...countryOf(value), confidence: confidence === null ? null : score(confidence) }
}
