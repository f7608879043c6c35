import { identityFromAnswer } from '../../results/identity-from-answer.ts'
import { listAt, scoreAt, textAt } from '../../results/loose-fields.ts'
import { adapter } from '../../feature.ts'
import { askBase64, type Scanned } from '../../vendors/base64.ts'
import identityParser from './feature.ts'

// https://base64.ai/api

const NAMES = {
  last_name: 'familyName',
  given_names: 'givenName',
  birth_place: 'placeOfBirth',
  birth_date: 'dateOfBirth',
  issuance_date: 'issueDate',
  expire_date: 'expirationDate',
  document_id: 'documentNumber',
  issuing_state: 'issuingState',
  address: 'address',
  age: 'age',
  document_type: 'documentType',
  gender: 'sex',
  nationality: 'nationality',
} as const

export default adapter(identityParser, async (task, tools) => {
  const { original, units } = await askBase64(tools, identityParser, task)
  return { output: { extracted_data: original.map(toDocument) }, original, units }
})

function toDocument({ fields, features }: Scanned) {
  const document = identityFromAnswer(fields, NAMES, fields.countryCode ? 'countryCode' : 'country')
  return { ...document, image_id: imagesIn(features, 'faces'), image_signature: imagesIn(features, 'signatures') }
}

function imagesIn(features: unknown, kind: string) {
  return listAt(features, kind).map((one) => ({ value: textAt(one, 'image'), confidence: scoreAt(one, 'confidence') }))
}
