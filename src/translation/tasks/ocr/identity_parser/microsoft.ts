import { type IdentityField, identityDocument } from '../../results/identity-document.ts'
import { analyzed, startAnalysis } from '../../vendors/microsoft/documents.ts'
import { type AnalyzedDocument, pollFields, printedIn } from '../../vendors/microsoft/fields.ts'
import { adapter } from '../../feature.ts'
import identityParser from './feature.ts'

const FIELDS: Readonly<Record<string, IdentityField>> = {
  LastName: 'last_name',
  FirstName: 'given_names',
  DateOfBirth: 'birth_date',
  PlaceOfBirth: 'birth_place',
  DateOfIssue: 'issuance_date',
  DateOfExpiration: 'expire_date',
  DocumentNumber: 'document_id',
  Region: 'issuing_state',
  Address: 'address',
  Sex: 'gender',
  Nationality: 'nationality',
}

export default adapter(identityParser, async (task, tools) => {
  const ticket = await startAnalysis(tools, 'prebuilt-idDocument', task.files.file!, task.params)
  const original = await analyzed(tools, ticket, pollFields)
  const extracted_data = (original.documents ?? []).map(toIdentity)
  return { output: { extracted_data }, original, units: Math.max(1, original.pages.length) }
})

function toIdentity({ docType, fields = {} }: AnalyzedDocument) {
  const readings = Object.entries(fields).flatMap(([name, reading]) => {
    const field = FIELDS[name]
    const values = field === 'given_names' ? printedIn(reading).split(/\s+/) : [printedIn(reading)]
    return field ? values.map((value) => ({ field, value, confidence: reading.confidence ?? null })) : []
  })
  // `idDocument.driverLicense`
  const type = (docType.split('.')[1] ?? docType).replace(/([A-Z])/g, ' $1')
  const mrz = fields.MachineReadableZone
  return identityDocument(
    [
      ...readings,
      { field: 'document_type', value: type, confidence: null },
      { field: 'mrz', value: mrz?.content ?? '', confidence: mrz?.confidence ?? null },
    ],
    fields.CountryRegion && {
      value: printedIn(fields.CountryRegion),
      confidence: fields.CountryRegion.confidence ?? null,
    },
  )
}
