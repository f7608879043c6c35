import { type IdentityField, identityDocument } from '../../results/identity-document.ts'
import { listAt, numberAt, textAt, textsAt } from '../../results/loose-fields.ts'
import { adapter } from '../../feature.ts'
import { askAffinda } from '../../vendors/affinda.ts'
import identityParser from './feature.ts'

// https://docs.affinda.com/reference: the fields of its passport extractor. A document is a file, whatever its pages.

const NAMES: Partial<Record<IdentityField, string>> = {
  last_name: 'familyName',
  birth_place: 'birthPlace',
  birth_date: 'birthDate',
  issuance_date: 'issueDate',
  expire_date: 'expiryDate',
  document_id: 'documentNumber',
  issuing_state: 'authority',
  gender: 'sex',
  nationality: 'nationality',
}

export default adapter(identityParser, async (task, tools) => {
  const { original, data } = await askAffinda(tools, task, 'identity')
  return { output: { extracted_data: [toDocument(data)] }, original, units: 1 }
})

function toDocument(data: Record<string, unknown>) {
  const printed = Object.entries(NAMES).map(([field, name]) => readingOf(field as IdentityField, data[name]))
  const names = [data.givenName, ...listAt(data, 'middleNames')].map((name) => readingOf('given_names', name))
  return identityDocument([...printed, ...names, ...machineRead(data)], readingOf('nationality', data.issuingCode))
}

function readingOf(field: IdentityField, found: unknown) {
  const value = textAt(found, 'parsed') ?? textAt(found, 'raw') ?? ''
  return { field, value, confidence: numberAt(found, 'confidence') }
}

/** If the page is not legible, the machine-readable zone mostly is. */
function machineRead({ machineReadableZone: zone, type }: Record<string, unknown>) {
  const { confidence } = readingOf('mrz', zone)
  const lines = textsAt(zone, 'parsed', 'extraParameters', 'mrzLines').join('\n')
  const kind = readingOf('document_type', type)
  return [
    { field: 'last_name' as const, value: textAt(zone, 'parsed', 'surname') ?? '', confidence },
    { field: 'mrz' as const, value: lines || (textAt(zone, 'raw') ?? ''), confidence },
    { ...kind, value: kind.value === 'P' ? 'Passport' : kind.value },
  ]
}
