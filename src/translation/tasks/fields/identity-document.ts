import Type from '../../../base/schema/type.ts'
import { nullable } from '../../../base/schema/fields.ts'
import { closedObject } from '../closed-object.ts'
import { nullableFields } from '../nullable-fields.ts'
import { Score } from './score.ts'

const CONFIDENCE = nullableFields(Score, { confidence: 'Confidence of the provider from 0 to 1, if it reports one.' })

function reading(description: string) {
  const value = nullableFields(Type.String(), { value: 'What is written there.' })
  return closedObject({ ...value, ...CONFIDENCE }, description)
}

function readings(description: string) {
  return Type.Array(reading('One of them.'), { description })
}

const Country = closedObject({
  ...nullableFields(Type.String(), {
    name: 'Name of the country.',
    alpha2: 'Its code of two letters.',
    alpha3: 'Its code of three letters.',
  }),
  ...CONFIDENCE,
})

/** The fields of a passport, an identity card or a driving licence. */
export const IdentityDocument = closedObject({
  last_name: reading('Family name, in capitals.'),
  given_names: readings('Given names.'),
  birth_place: reading('Place of birth.'),
  birth_date: reading('Date of birth, as YYYY-MM-DD.'),
  issuance_date: reading('Date of issue, as YYYY-MM-DD.'),
  expire_date: reading('Expiry date, as YYYY-MM-DD.'),
  document_id: reading('Number of the document.'),
  issuing_state: reading('State that issued it.'),
  address: reading('Address of the holder.'),
  age: reading('Age of the holder.'),
  country: nullable(Country, 'Country that issued it.'),
  document_type: reading('What kind of document it is.'),
  gender: reading('Gender of the holder.'),
  image_id: readings('The portrait, in base64, if the provider extracts it.'),
  image_signature: readings('The signature, in base64, if the provider extracts it.'),
  mrz: reading('The machine-readable lines.'),
  nationality: reading('Nationality of the holder.'),
})
