import { withBlanks } from '../../fields/blanks.ts'
import { listAt, numberAt, textAt } from '../../results/loose-fields.ts'
import { adapter } from '../../feature.ts'
import { FinancialDocument } from '../../fields/financial-document.ts'
import { askMindee } from '../../vendors/mindee.ts'
import financialParser from './feature.ts'

// https://developers.mindee.com/v1.0/docs/financial-document-ocr. Mindee detects the kind of document itself.

export default adapter(financialParser, async (task, tools) => {
  const { original, prediction, units } = await askMindee(tools, task, 'financial_document/v1')
  return { output: { extracted_data: [toDocument(prediction)] }, original, units }
})

function toDocument(prediction: unknown) {
  return withBlanks(FinancialDocument, {
    ...partiesIn(prediction),
    ...amountsIn(prediction),
    local: {
      currency_code: textAt(prediction, 'locale', 'currency'),
      country: textAt(prediction, 'locale', 'country'),
      language: textAt(prediction, 'locale', 'language'),
    },
    item_lines: listAt(prediction, 'line_items').map(toLine),
    document_metadata: {
      document_index: 1,
      document_type: textAt(prediction, 'document_type', 'value')?.toLowerCase() ?? null,
    },
  })
}

function partiesIn(prediction: unknown) {
  const text = (field: string) => textAt(prediction, field, 'value')
  return {
    customer_information: {
      name: text('customer_name'),
      billing_address: text('billing_address') ?? text('customer_address'),
      shipping_address: text('shipping_address'),
      id_reference: text('customer_id'),
      ...numbersOf(listAt(prediction, 'customer_company_registrations')),
    },
    merchant_information: {
      name: text('supplier_name'),
      address: text('supplier_address'),
      phone: text('supplier_phone_number'),
      email: text('supplier_email'),
      website: text('supplier_website'),
      ...numbersOf(listAt(prediction, 'supplier_company_registrations')),
    },
  }
}

function amountsIn(prediction: unknown) {
  const text = (field: string) => textAt(prediction, field, 'value')
  const amount = (field: string) => numberAt(prediction, field, 'value')
  const [account] = listAt(prediction, 'supplier_payment_details')
  return {
    payment_information: {
      total: amount('total_amount'),
      subtotal: amount('total_net'),
      total_tax: amount('total_tax'),
      amount_tip: amount('tip'),
      tax_rate: numberAt(prediction, 'taxes', 0, 'rate'),
    },
    financial_document_information: {
      invoice_receipt_id: text('invoice_number') ?? text('receipt_number') ?? text('document_number'),
      purchase_order: text('po_number'),
      invoice_date: text('date'),
      invoice_due_date: text('due_date'),
      time: text('time'),
      reference: textAt(prediction, 'reference_numbers', 0, 'value'),
    },
    bank: {
      iban: textAt(account, 'iban'),
      swift: textAt(account, 'swift'),
      account_number: textAt(account, 'account_number'),
      routing_number: textAt(account, 'routing_number'),
    },
  }
}

function toLine(line: unknown) {
  return {
    description: textAt(line, 'description'),
    product_code: textAt(line, 'product_code'),
    quantity: numberAt(line, 'quantity'),
    unit_price: numberAt(line, 'unit_price'),
    amount_line: numberAt(line, 'total_amount'),
    tax: numberAt(line, 'tax_amount'),
    tax_rate: numberAt(line, 'tax_rate'),
    unit_type: textAt(line, 'unit_measure'),
  }
}

/** Mindee lists the registration numbers of a company with the type of each. */
function numbersOf(registrations: unknown[]) {
  const named = new Map(registrations.map((one) => [textAt(one, 'type'), textAt(one, 'value')]))
  return {
    vat_number: named.get('VAT NUMBER') ?? null,
    abn_number: named.get('ABN') ?? null,
    gst_number: named.get('GST/HST') ?? named.get('GSTIN') ?? null,
    siren_number: named.get('SIREN') ?? null,
    siret_number: named.get('SIRET') ?? null,
    tax_id: named.get('TAX ID') ?? null,
  }
}
