import { processDocument, type DocumentEntity, textValue } from '../../vendors/google/documents.ts'
import { type IdentityField, identityDocument, type ReadField } from '../../results/identity-document.ts'
import { adapter } from '../../feature.ts'
import identityParser from './feature.ts'

// https://cloud.google.com/document-ai/docs/processors-list: a processor per kind of document (passports and licences of the
// US, identity cards and licences of France); the operator chooses one.

const FIELDS: Readonly<Record<string, IdentityField>> = {
  'Family Name': 'last_name',
  'Given Names': 'given_names',
  'Date Of Birth': 'birth_date',
  'Place Of Birth': 'birth_place',
  'Issue Date': 'issuance_date',
  'Expiration Date': 'expire_date',
  'Document Id': 'document_id',
  Address: 'address',
  'MRZ Code': 'mrz',
  Nationality: 'nationality',
  Sex: 'gender',
}

export default adapter(identityParser, async (task, tools) => {
  const original = await processDocument(tools, 'identity-parser', task.files.file!, task.params)
  const { entities = [], pages = [] } = original.document
  const document = identityDocument(entities.flatMap(toReadings))
  return { output: { extracted_data: [document] }, original, units: Math.max(1, pages.length) }
})

function toReadings(entity: DocumentEntity): ReadField[] {
  const field = FIELDS[entity.type ?? '']
  if (!field) return []
  const text = textValue(entity)
  const values = field === 'given_names' ? text.split(/\s+/) : [text]
  return values.map((value) => ({ field, value, confidence: entity.confidence ?? 0 }))
}
