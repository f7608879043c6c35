import { withBlanks } from '../../fields/blanks.ts'
import { FinancialDocument } from '../../fields/financial-document.ts'
import { addressIn, amountIn, askMindee, itemsIn, textIn } from '../../vendors/mindee.ts'
import { textAt } from '../../results/loose-fields.ts'
import { adapter } from '../../feature.ts'
import financialParser from './feature.ts'

// The fields of Mindee's models for financial documents, invoices and receipts. Mindee detects the kind of document itself.

export default adapter(financialParser, async (task, tools) => {
  const { original, fields, units } = await askMindee(tools, task, 'financial')
  return { output: { extracted_data: [toDocument(fields)] }, original, units }
})

function toDocument(fields: unknown) {
  const [account] = itemsIn(fields, 'supplier_payment_details')
  return withBlanks(FinancialDocument, {
    ...partiesIn(fields),
    ...amountsIn(fields),
    local: {
      currency_code: textIn(fields, 'locale', 'currency') ?? textIn(fields, 'currency'),
      country: textIn(fields, 'locale', 'country'),
      language: textIn(fields, 'locale', 'language'),
    },
    bank: {
      iban: textIn(account, 'iban'),
      swift: textIn(account, 'swift'),
      account_number: textIn(account, 'account_number'),
      routing_number: textIn(account, 'routing_number'),
    },
    item_lines: itemsIn(fields, 'line_items').map(toLine),
    document_metadata: { document_index: 1, document_type: textIn(fields, 'document_type')?.toLowerCase() ?? null },
  })
}

function partiesIn(fields: unknown) {
  const [customer, billing] = [addressIn(fields, 'customer_address'), addressIn(fields, 'billing_address')]
  const supplier = addressIn(fields, 'supplier_address')
  return {
    customer_information: {
      ...customer.parts,
      name: textIn(fields, 'customer_name'),
      billing_address: billing.whole ?? customer.whole,
      shipping_address: addressIn(fields, 'shipping_address').whole,
      id_reference: textIn(fields, 'customer_id'),
      ...numbersOf(fields, 'customer'),
    },
    merchant_information: {
      ...supplier.parts,
      name: textIn(fields, 'supplier_name'),
      address: supplier.whole,
      phone: textIn(fields, 'supplier_phone_number'),
      email: textIn(fields, 'supplier_email'),
      website: textIn(fields, 'supplier_website'),
      ...numbersOf(fields, 'supplier'),
    },
  }
}

function amountsIn(fields: unknown) {
  const text = (field: string) => textIn(fields, field)
  const amount = (field: string) => amountIn(fields, field)
  const [tax] = itemsIn(fields, 'taxes')
  const [reference] = itemsIn(fields, 'reference_numbers')
  return {
    payment_information: {
      total: amount('total_amount'),
      subtotal: amount('total_net'),
      total_tax: amount('total_tax'),
      amount_tip: amount('tips_gratuity') ?? amount('tip'),
      tax_rate: percentIn(tax, 'rate'),
    },
    financial_document_information: {
      invoice_receipt_id: text('invoice_number') ?? text('receipt_number') ?? text('document_number'),
      purchase_order: text('po_number'),
      invoice_date: text('date'),
      invoice_due_date: text('due_date'),
      time: text('time'),
      reference: textAt(reference, 'value'),
    },
  }
}

function toLine(line: unknown) {
  return {
    description: textIn(line, 'description'),
    product_code: textIn(line, 'product_code'),
    quantity: amountIn(line, 'quantity'),
    unit_price: amountIn(line, 'unit_price'),
    amount_line: amountIn(line, 'total_price') ?? amountIn(line, 'total_amount'),
    tax: amountIn(line, 'tax_amount'),
    tax_rate: percentIn(line, 'tax_rate'),
    unit_type: textIn(line, 'unit_measure'),
  }
}

/** Rates are fractions in some models and percentages in others. */
function percentIn(fields: unknown, name: string): number | null {
  const rate = amountIn(fields, name)
  return rate !== null && rate > 0 && rate < 1 ? Math.round(rate * 10_000) / 100 : rate
}

/** Mindee lists the registration numbers of a company with the type of each. */
function numbersOf(fields: unknown, party: string) {
  const names = [`${party}_company_registrations`, `${party}_company_registration`]
  const registrations = names.flatMap((name) => itemsIn(fields, name))
  const named = new Map(registrations.map((one) => [textIn(one, 'type')?.toUpperCase(), textIn(one, 'number')]))
  return {
    vat_number: named.get('VAT') ?? named.get('VAT NUMBER') ?? null,
    abn_number: named.get('ABN') ?? null,
    gst_number: named.get('GST/HST') ?? named.get('GSTIN') ?? named.get('GST') ?? null,
    siren_number: named.get('SIREN') ?? null,
    siret_number: named.get('SIRET') ?? null,
    tax_id: named.get('TAX ID') ?? null,
  }
}
