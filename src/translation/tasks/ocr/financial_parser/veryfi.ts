import Type from '../../../../base/schema/type.ts'
import { mapOf } from '../../../../base/schema/fields.ts'
import { withBlanks } from '../../fields/blanks.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { barcodesIn } from '../../results/barcodes-in.ts'
import { SCANS } from '../../inputs/document-kinds.ts'
import { listAt, numberAt, textAt } from '../../results/loose-fields.ts'
import { formPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { FinancialDocument } from '../../fields/financial-document.ts'
import financialParser from './feature.ts'

// https://docs.veryfi.com/api/receipts-invoices. The secret has three parts: the client id, the user and the key. A file is one
// request, however many pages it has.

const ACCEPTED = { types: [...SCANS, 'text/html', 'text/plain'], megabytes: 20 }
const PROOF = { headers: { 'client-id': '{secret.1}', authorization: 'apikey {secret.2}:{secret.3}' } }

const readReply = replyReader(mapOf(Type.Unknown()))

export default adapter(financialParser, async (task, tools) => {
  const file = acceptFile(task.files.file!, ACCEPTED)
  const fields = { ...task.params, file_name: file.name, file: undefined, file_url: undefined }
  const payload = await formPayload(fields, [{ field: 'file', file }])
  const question = { path: '/documents', payload, proof: PROOF, headers: { accept: 'application/json' } }
  const original = await askForJson(tools, question, readReply)
  return { output: { extracted_data: [toDocument(original)] }, original, units: 1 }
})

function toDocument(reply: unknown) {
  const vendor = (field: string) => textAt(reply, 'vendor', field)
  return withBlanks(FinancialDocument, {
    customer_information: {
      name: textAt(reply, 'bill_to', 'name'),
      billing_address: textAt(reply, 'bill_to', 'address'),
      shipping_address: textAt(reply, 'ship_to', 'address'),
      email: textAt(reply, 'bill_to', 'email'),
      phone: textAt(reply, 'bill_to', 'phone_number'),
      vat_number: textAt(reply, 'bill_to', 'vat_number'),
      customer_number: textAt(reply, 'account_number'),
    },
    merchant_information: {
      name: vendor('name'),
      address: vendor('address'),
      phone: vendor('phone_number'),
      email: vendor('email'),
      fax: vendor('fax_number'),
      website: vendor('web'),
      vat_number: vendor('vat_number'),
      abn_number: vendor('abn_number'),
      registration: vendor('reg_number'),
    },
    payment_information: paymentOf(reply),
    financial_document_information: paperOf(reply),
    local: { currency_code: textAt(reply, 'currency_code'), country: vendor('country_code') },
    bank: { iban: vendor('iban'), swift: vendor('bank_swift'), account_number: vendor('bank_number') },
    item_lines: listAt(reply, 'line_items').map(toLine),
    document_metadata: { document_index: 1, document_type: textAt(reply, 'document_type') },
  })
}

function paymentOf(reply: unknown) {
  return {
    total: numberAt(reply, 'total'),
    subtotal: numberAt(reply, 'subtotal'),
    total_tax: numberAt(reply, 'tax'),
    tax_rate: numberAt(reply, 'tax_lines', 0, 'rate'),
    amount_due: numberAt(reply, 'balance'),
    amount_tip: numberAt(reply, 'tip'),
    amount_shipping: numberAt(reply, 'shipping'),
    discount: numberAt(reply, 'discount'),
    payment_method: textAt(reply, 'payment', 'type'),
    payment_terms: textAt(reply, 'payment', 'terms'),
    payment_card_number: textAt(reply, 'payment', 'card_number'),
  }
}

/** Dates include a time of day. */
function paperOf(reply: unknown) {
  const [day = null, time = null] = textAt(reply, 'date')?.split(' ') ?? []
  return {
    invoice_receipt_id: textAt(reply, 'invoice_number'),
    purchase_order: textAt(reply, 'purchase_order_number'),
    invoice_date: day,
    time: time === '00:00:00' ? null : time,
    invoice_due_date: textAt(reply, 'due_date'),
    service_start_date: textAt(reply, 'service_start_date'),
    service_end_date: textAt(reply, 'service_end_date'),
    order_date: textAt(reply, 'order_date'),
    reference: textAt(reply, 'reference_number'),
    tracking_number: textAt(reply, 'tracking_number'),
    barcodes: barcodesIn(reply, 'data'),
  }
}

function toLine(line: unknown) {
  return {
    description: textAt(line, 'description'),
    quantity: numberAt(line, 'quantity'),
    unit_price: numberAt(line, 'price'),
    unit_type: textAt(line, 'unit_of_measure'),
    amount_line: numberAt(line, 'total'),
    tax: numberAt(line, 'tax'),
    tax_rate: numberAt(line, 'tax_rate'),
    discount_amount: numberAt(line, 'discount'),
    discount_rate: numberAt(line, 'discount_rate'),
    date: textAt(line, 'date'),
    product_code: textAt(line, 'sku'),
  }
}
