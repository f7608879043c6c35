import { declined } from '../http/declined.ts'

/** For providers that need to know whether a document is an invoice or a receipt. */
export function requestedDocumentType(value: string | null | undefined): 'invoice' | 'receipt' {
  const type = value ?? 'invoice'
  if (type === 'invoice' || type === 'receipt') return type
  throw declined('document_type should be invoice or receipt for this provider', 422, 'document_type_needed')
}
