import { identityFromAnswer } from '../../results/identity-from-answer.ts'
import { joined, listAt, scoreAt, textAt } from '../../results/loose-fields.ts'
import { adapter } from '../../feature.ts'
import { askKlippa } from '../../vendors/klippa.ts'
import identityParser from './feature.ts'

// https://custom-ocr.klippa.com/docs. Dates include a time of day, which is removed.

const NAMES = {
  last_name: 'surname',
  given_names: 'given_names',
  birth_place: 'place_of_birth',
  birth_date: 'date_of_birth',
  issuance_date: 'date_of_issue',
  expire_date: 'date_of_expiry',
  document_id: 'document_number',
  issuing_state: 'issuing_institution',
  age: 'age',
  document_type: 'document_type',
  gender: 'gender',
  mrz: 'mrz',
  nationality: 'nationality',
} as const

export default adapter(identityParser, async (task, tools) => {
  const { original, data } = await askKlippa(tools, task, '/identity')
  return { output: { extracted_data: [toDocument(data.parsed)] }, original, units: 1 }
})

function toDocument(parsed: unknown) {
  const document = identityFromAnswer(parsed, NAMES, 'issuing_country')
  const { birth_date, issuance_date, expire_date } = document
  return {
    ...document,
    birth_date: day(birth_date),
    issuance_date: day(issuance_date),
    expire_date: day(expire_date),
    address: { value: addressIn(parsed), confidence: scoreAt(parsed, 'address', 'confidence') },
    image_id: imagesIn(parsed),
  }
}

function day({ value, confidence }: { value: string | null; confidence: number | null }) {
  return { value: value?.slice(0, 'YYYY-MM-DD'.length) ?? null, confidence }
}

function addressIn(parsed: unknown): string | null {
  const text = (field: string) => textAt(parsed, 'address', 'value', field)
  const street = joined([text('house_number'), text('street_name')], ' ')
  const city = joined([text('post_code'), text('city')], ' ')
  return joined([street, city, text('province'), text('country')])
}

function imagesIn(parsed: unknown) {
  const cards = listAt(parsed, 'identity_document').map((card) => textAt(card, 'image'))
  const values = [textAt(parsed, 'face', 'value'), ...cards]
  return values.filter((value) => value !== null).map((value) => ({ value, confidence: null }))
}
