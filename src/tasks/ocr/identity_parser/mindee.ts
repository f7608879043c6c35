import { identityFrom } from '../../results/identity-readings.ts'
import { joined, numberAt, textAt } from '../../results/loose-fields.ts'
import { adapter } from '../../feature.ts'
import { askMindee } from '../../vendors/mindee.ts'
import identityParser from './feature.ts'

// https://developers.mindee.com/v1.0/docs/passport-ocr. It reads passports only.

const NAMES = {
  last_name: 'surname',
  given_names: 'given_names',
  birth_date: 'birth_date',
  birth_place: 'birth_place',
  issuance_date: 'issuance_date',
  expire_date: 'expiry_date',
  document_id: 'id_number',
  gender: 'gender',
} as const

export default adapter(identityParser, async (task, tools) => {
  const { original, prediction, units } = await askMindee(tools, task, 'passport/v1')
  const document = identityFrom(prediction, NAMES, textAt(prediction, 'country', 'value'))
  const lines = joined([textAt(prediction, 'mrz1', 'value'), textAt(prediction, 'mrz2', 'value')], '\n')
  const mrz = { value: lines, confidence: numberAt(prediction, 'mrz1', 'confidence') }
  const document_type = { value: 'Passport', confidence: null }
  return { output: { extracted_data: [{ ...document, mrz, document_type }] }, original, units }
})
