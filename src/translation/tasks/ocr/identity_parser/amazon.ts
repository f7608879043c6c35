import Type, { type Static } from '../../../../base/schema/type.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { type IdentityField, identityDocument, type ReadField } from '../../results/identity-document.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { readPages } from '../../vendors/amazon/textract.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import identityParser from './feature.ts'

// https://docs.aws.amazon.com/textract/latest/dg/API_AnalyzeID.html. Made for documents of the United States.

/** A document has a front and a back. */
const SIDES = 2

const FIELDS: Readonly<Record<string, IdentityField>> = {
  LAST_NAME: 'last_name',
  FIRST_NAME: 'given_names',
  MIDDLE_NAME: 'given_names',
  DATE_OF_BIRTH: 'birth_date',
  PLACE_OF_BIRTH: 'birth_place',
  DATE_OF_ISSUE: 'issuance_date',
  EXPIRATION_DATE: 'expire_date',
  DOCUMENT_NUMBER: 'document_id',
  STATE_NAME: 'issuing_state',
  ADDRESS: 'address',
  ID_TYPE: 'document_type',
  MRZ_CODE: 'mrz',
}

const Field = Type.Object({
  Type: Type.Object({ Text: Type.String() }),
  ValueDetection: Type.Object({
    Text: Type.String(),
    NormalizedValue: Type.Optional(Type.Object({ Value: Type.String() })),
    Confidence: Type.Optional(Type.Number()),
  }),
})
const readReply = replyReader(
  Type.Object({ IdentityDocuments: Type.Array(Type.Object({ IdentityDocumentFields: Type.Array(Field) })) }),
)

export default adapter(identityParser, async (task, tools) => {
  const DocumentPages = await readPages(tools, task.files.file!, async (page) => page, SIDES)
  const fields = { ...task.params, DocumentPages }
  const original = await askAmazon(tools, 'textract.AnalyzeID', fields, readReply)
  const extracted_data = original.IdentityDocuments.map((one) => {
    return toIdentity(one.IdentityDocumentFields.flatMap(toReading))
  })
  return { output: { extracted_data }, original, units: measuredUnits(identityParser, task) }
})

/** It reads licences of American states, which do not name the country; a passport names it in its machine-readable zone. */
function toIdentity(readings: ReadField[]) {
  const state = readings.find(({ field, value }) => field === 'issuing_state' && value !== '')
  const hasZone = readings.some(({ field, value }) => field === 'mrz' && value !== '')
  return identityDocument(readings, state && !hasZone ? { value: 'US', confidence: state.confidence } : undefined)
}

function toReading({ Type: kind, ValueDetection: { Text, NormalizedValue, Confidence } }: Static<typeof Field>) {
  const field = FIELDS[kind.Text]
  if (!field) return []
  // A date is normalized to a timestamp: `2030-02-11T00:00:00`.
  const value = NormalizedValue?.Value.split('T', 1)[0] ?? Text
  return [{ field, value, confidence: Confidence === undefined ? null : Confidence / 100 }]
}
