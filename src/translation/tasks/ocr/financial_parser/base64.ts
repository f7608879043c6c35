import { withBlanks } from '../../fields/blanks.ts'
import { numberAt, textAt } from '../../results/loose-fields.ts'
import { adapter } from '../../feature.ts'
import { FinancialDocument } from '../../fields/financial-document.ts'
import { askBase64, type Scanned } from '../../vendors/base64.ts'
import financialParser from './feature.ts'

// https://base64.ai/api

const MODEL_TYPES = {
  'auto-detect': ['finance/invoice', 'finance/receipt'],
  invoice: ['finance/invoice'],
  receipt: ['finance/receipt'],
}

export default adapter(financialParser, async (task, tools) => {
  const types = MODEL_TYPES[task.input.document_type ?? 'invoice']
  const { original, units } = await askBase64(tools, financialParser, task, types)
  return { output: { extracted_data: original.map(toDocument) }, original, units }
})

function toDocument({ model, fields }: Scanned, index: number) {
  const text = (field: string) => textAt(fields, field, 'value')
  return withBlanks(FinancialDocument, {
    ...partiesIn(fields),
    ...amountsIn(fields),
    local: { currency_code: text('currency') },
    bank: { iban: text('iban'), account_number: text('accountNumber'), swift: text('swiftCode') },
    item_lines: linesIn(fields),
    document_metadata: {
      document_index: index + 1,
      document_page_number: pageOf(fields),
      document_type: model.name ?? model.type,
    },
  })
}

function partiesIn(fields: unknown) {
  const text = (field: string) => textAt(fields, field, 'value')
  return {
    customer_information: {
      name: text('person') ?? text('billToName'),
      billing_address: text('billTo'),
      shipping_address: text('shipTo'),
      remittance_address: text('soldTo'),
      zip_code: text('billToPostalCode'),
      province: text('billToState'),
      country: text('billToCountry'),
    },
    merchant_information: {
      name: text('companyName'),
      address: text('companyAddress') ?? text('from') ?? text('addressBlock'),
      city: text('companyAddressCity'),
      province: text('companyAddressState'),
      zip_code: text('companyAddressPostalCode'),
      country: text('companyAddressCountry'),
      email: text('email'),
      phone: text('phoneNumber'),
      tax_id: text('vendorTaxId'),
      vat_number: text('vatNo'),
    },
  }
}

function amountsIn(fields: unknown) {
  const text = (field: string) => textAt(fields, field, 'value')
  const amount = (field: string) => numberAt(fields, field, 'value')
  return {
    payment_information: {
      total: amount('total'),
      subtotal: amount('subtotal'),
      total_tax: amount('tax'),
      discount: amount('discount'),
      amount_due: amount('balanceDue'),
      payment_terms: text('paymentTerms'),
      payment_method: text('cardType'),
      payment_card_number: text('cardNumber'),
    },
    financial_document_information: {
      invoice_receipt_id: text('invoiceNumber') ?? text('receiptNo'),
      purchase_order: text('purchaseOrder'),
      invoice_date: text('invoiceDate') ?? text('date'),
      time: text('time'),
      invoice_due_date: text('dueDate'),
      reference: text('paymentReference'),
    },
  }
}

/** The page with the total. */
function pageOf(fields: unknown): number | null {
  return numberAt(fields, 'total', 'location', 'pageNumber')
}

/** The names of the fields contain the number of the line: `lineItem1Description`. */
function linesIn(fields: Record<string, unknown>) {
  const lines = new Map<number, Record<string, unknown>>()
  for (const [name, field] of Object.entries(fields)) {
    const [, number, part] = /^lineItem(\d+)(\w+)$/.exec(name) ?? []
    if (!number || !part) continue
    lines.set(Number(number), { ...lines.get(Number(number)), [part]: field })
  }
  return [...lines].toSorted(([one], [other]) => one - other).map(([, line]) => toLine(line))
}

function toLine(line: Record<string, unknown>) {
  return {
    description: textAt(line, 'Description', 'value'),
    quantity: numberAt(line, 'Quantity', 'value'),
    unit_price: numberAt(line, 'UnitPrice', 'value'),
    amount_line: numberAt(line, 'LineTotal', 'value'),
    product_code: textAt(line, 'ProductCode', 'value'),
  }
}
