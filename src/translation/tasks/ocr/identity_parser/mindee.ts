import { addressIn, askMindee, confidenceIn, itemsIn, textIn } from '../../vendors/mindee.ts'
import { joined, textAt, valueAt } from '../../results/loose-fields.ts'
import { type IdentityField, identityDocument, type ReadField } from '../../results/identity-document.ts'
import { adapter } from '../../feature.ts'
import identityParser from './feature.ts'

// The fields of the models for passports, identity cards and driving licences in Mindee's catalog, which name the same thing
// differently: https://docs.mindee.com/use-cases/extraction-models. Operators may add fields, and older models have other names.

const NAMES: Partial<Record<IdentityField, string[]>> = {
  last_name: ['surname', 'surnames', 'last_name', 'family_name'],
  given_names: ['given_names', 'given_name', 'first_name', 'first_names'],
  birth_date: ['birth_date', 'date_of_birth'],
  birth_place: ['birth_place', 'place_of_birth'],
  issuance_date: ['issuance_date', 'issue_date', 'date_of_issue', 'issued_date'],
  expire_date: ['expiry_date', 'expiration_date', 'date_of_expiry'],
  document_id: ['id_number', 'passport_number', 'document_number', 'document_id', 'license_number'],
  issuing_state: ['authority', 'issuing_authority', 'state'],
  address: ['address'],
  gender: ['gender', 'sex'],
  nationality: ['nationality'],
  document_type: ['document_type'],
}
const COUNTRIES = ['issuing_country', 'country', 'country_code', 'issuing_country_code']

export default adapter(identityParser, async (task, tools) => {
  const { original, fields, units } = await askMindee(tools, task, 'identity')
  return { output: { extracted_data: [toIdentity(fields)] }, original, units }
})

function toIdentity(fields: Record<string, unknown>) {
  const readings = Object.entries(NAMES).flatMap(([field, names]) => {
    return readingsOf(field as IdentityField, fields, names.find((name) => fields[name]) ?? '')
  })
  const country = COUNTRIES.find((name) => textIn(fields, name)) ?? ''
  const named = { value: textIn(fields, country), confidence: confidenceIn(fields[country]) }
  return identityDocument([...readings, mrzIn(fields)], named)
}

/** Passports have a field for each line, identity cards an object, and licences one text. */
function mrzIn(fields: Record<string, unknown>): ReadField {
  const lines = ['mrz_line_1', 'mrz_line_2', 'mrz1', 'mrz2'].map((name) => textIn(fields, name))
  const parts = ['line_1', 'line_2', 'line_3'].map((name) => textIn(fields, 'mrz', name))
  const value = joined([...lines, ...parts], '\n') ?? textIn(fields, 'mrz') ?? ''
  const first = fields.mrz_line_1 ?? fields.mrz1 ?? valueAt(fields, 'mrz', 'fields', 'line_1') ?? fields.mrz
  return { field: 'mrz', value, confidence: confidenceIn(first) }
}

/** Names may be a list, or one field. */
function readingsOf(field: IdentityField, fields: unknown, name: string): ReadField[] {
  const whole = field === 'address' ? addressIn(fields, name).whole : textIn(fields, name)
  const listed = itemsIn(fields, name).map((one) => ({ value: textAt(one, 'value'), of: one }))
  const found = listed.length > 0 ? listed : [{ value: whole, of: valueAt(fields, name) }]
  return found.flatMap(({ value, of }) => {
    const words = value === null ? [] : field === 'given_names' ? value.split(/\s+/) : [value]
    return words.map((word) => ({ field, value: word, confidence: confidenceIn(of) }))
  })
}
