import Type, { type Static } from '../../../../base/schema/type.ts'
import { mapOf } from '../../../../base/schema/fields.ts'
import { analysisOf } from './documents.ts'

// https://learn.microsoft.com/azure/ai-services/document-intelligence/concept/document-intelligence-results. The value of a
// field is in a member named after its type, and the printed text in `content`.

const Text = Type.Optional(Type.String())
const VALUE = {
  content: Text,
  confidence: Type.Optional(Type.Number()),
  valueString: Text,
  valueDate: Text,
  valueTime: Text,
  valuePhoneNumber: Text,
  valueCountryRegion: Text,
  valueNumber: Type.Optional(Type.Number()),
  valueCurrency: Type.Optional(Type.Object({ amount: Type.Optional(Type.Number()), currencyCode: Text })),
}
const Inner = Type.Object({
  ...VALUE,
  valueObject: Type.Optional(mapOf(Type.Object(VALUE))),
})
const Field = Type.Object({ ...VALUE, valueArray: Type.Optional(Type.Array(Inner)) })
const Document = Type.Object({
  docType: Type.String(),
  fields: Type.Optional(mapOf(Field)),
  boundingRegions: Type.Optional(Type.Array(Type.Object({ pageNumber: Type.Integer() }))),
})

/** The result of a prebuilt model. */
export const pollFields = analysisOf(
  Type.Object({ pages: Type.Array(Type.Object({})), documents: Type.Optional(Type.Array(Document)) }),
)

export type AnalyzedDocument = Static<typeof Document>
export type AnalyzedField = Static<typeof Field>

export function printedIn(field: Omit<AnalyzedField, 'valueArray'>): string {
  const { valueDate, valueTime, valueNumber, valueCurrency, valuePhoneNumber, valueCountryRegion, valueString } = field
  const value = valueDate ?? valueTime ?? valueCurrency?.amount ?? valueNumber ?? valuePhoneNumber ?? valueCountryRegion
  return String(value ?? valueString ?? field.content ?? '')
}
