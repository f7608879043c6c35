import { ownOf } from '../../../../base/schema/record.ts'
import { type Entry, financialDocument, type Line, type FieldPath } from '../../results/financial-entries.ts'
import { type DocumentEntity, processDocument, textValue } from '../../vendors/google/documents.ts'
import { requestedDocumentType } from '../../results/requested-document-type.ts'
import { adapter } from '../../feature.ts'
import financialParser from './feature.ts'

// Document AI has a processor for invoices and one for receipts.

const PLACES: Readonly<Record<string, FieldPath>> = {
  supplier_name: 'merchant_information.name',
  supplier_address: 'merchant_information.address',
  supplier_city: 'merchant_information.city',
  supplier_email: 'merchant_information.email',
  supplier_phone: 'merchant_information.phone',
  supplier_website: 'merchant_information.website',
  supplier_tax_id: 'merchant_information.tax_id',
  supplier_registration: 'merchant_information.registration',
  supplier_iban: 'bank.iban',
  receiver_name: 'customer_information.name',
  receiver_address: 'customer_information.billing_address',
  receiver_email: 'customer_information.email',
  receiver_phone: 'customer_information.phone',
  receiver_website: 'customer_information.website',
  receiver_tax_id: 'customer_information.tax_id',
  ship_to_address: 'customer_information.shipping_address',
  remit_to_address: 'customer_information.remittance_address',
  remit_to_name: 'customer_information.remit_to_name',
  invoice_id: 'financial_document_information.invoice_receipt_id',
  invoice_date: 'financial_document_information.invoice_date',
  receipt_date: 'financial_document_information.invoice_date',
  purchase_time: 'financial_document_information.time',
  due_date: 'financial_document_information.invoice_due_date',
  purchase_order: 'financial_document_information.purchase_order',
  payment_terms: 'payment_information.payment_terms',
  payment_type: 'payment_information.payment_method',
  credit_card_last_four_digits: 'payment_information.payment_card_number',
  total_amount: 'payment_information.total',
  net_amount: 'payment_information.subtotal',
  total_tax_amount: 'payment_information.total_tax',
  tip_amount: 'payment_information.amount_tip',
  freight_amount: 'payment_information.amount_shipping',
  currency: 'local.currency_code',
  currency_exchange_rate: 'local.currency_exchange_rate',
}

const LINE_FIELDS: Readonly<Record<string, string>> = {
  'line_item/description': 'description',
  'line_item/quantity': 'quantity',
  'line_item/unit_price': 'unit_price',
  'line_item/amount': 'amount_line',
  'line_item/product_code': 'product_code',
  'line_item/unit': 'unit_type',
  'line_item/purchase_order': 'purchase_order',
}

export default adapter(financialParser, async (task, tools) => {
  const type = requestedDocumentType(task.input.document_type)
  const service = type === 'receipt' ? 'expense-parser' : 'invoice-parser'
  const original = await processDocument(tools, service, task.files.file!, task.params)
  const { entities = [], pages = [] } = original.document
  const lines = entities.filter((one) => one.type === 'line_item').map(({ properties = [] }) => toLine(properties))
  const extracted_data = [financialDocument(entities.flatMap(toEntry), lines, { index: 1, page: 1, type })]
  return { output: { extracted_data }, original, units: Math.max(1, pages.length) }
})

function toEntry(entity: DocumentEntity): Entry[] {
  const path = ownOf(PLACES, entity.type)
  return path ? [{ path, text: textValue(entity) }] : []
}

function toLine(properties: DocumentEntity[]): Line {
  return properties.flatMap((property) => {
    const field = ownOf(LINE_FIELDS, property.type)
    return field ? [{ field, text: textValue(property) }] : []
  })
}
