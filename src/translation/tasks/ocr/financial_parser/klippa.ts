import { withBlanks } from '../../fields/blanks.ts'
import { barcodesIn } from '../../results/barcodes-in.ts'
import { listAt, numberAt, textAt } from '../../results/loose-fields.ts'
import { adapter } from '../../feature.ts'
import { FinancialDocument } from '../../fields/financial-document.ts'
import { askKlippa } from '../../vendors/klippa.ts'
import financialParser from './feature.ts'

// https://custom-ocr.klippa.com/docs. Amounts are in cents and percentages in hundredths. A missing value is an empty text or a
// zero.

export default adapter(financialParser, async (task, tools) => {
  const { original, data } = await askKlippa(tools, task)
  return { output: { extracted_data: [toDocument(data)] }, original, units: 1 }
})

function toDocument(data: unknown) {
  return withBlanks(FinancialDocument, {
    customer_information: {
      ...partyOf(data, 'customer'),
      billing_address: textAt(data, 'customer_address'),
      id_reference: textAt(data, 'customer_reference'),
      customer_number: textAt(data, 'customer_number') ?? textAt(data, 'customer_id'),
      municipality: textAt(data, 'customer_municipality'),
    },
    merchant_information: {
      ...partyOf(data, 'merchant'),
      address: textAt(data, 'merchant_address'),
      id_reference: textAt(data, 'merchant_id'),
      country_code: textAt(data, 'merchant_country_code'),
    },
    payment_information: paymentOf(data),
    financial_document_information: paperOf(data),
    local: { currency_code: textAt(data, 'currency'), language: textAt(data, 'document_language')?.toLowerCase() },
    bank: {
      account_number: textAt(data, 'merchant_bank_account_number'),
      bic: textAt(data, 'merchant_bank_account_number_bic'),
      sort_code: textAt(data, 'merchant_bank_domestic_bank_code'),
    },
    item_lines: listAt(data, 'lines').flatMap((line) => listAt(line, 'lineitems').map(toLine)),
    document_metadata: { document_index: 1, document_type: textAt(data, 'document_type') },
  })
}

function partyOf(data: unknown, side: 'customer' | 'merchant') {
  const text = (field: string) => textAt(data, `${side}_${field}`)
  return {
    name: text('name'),
    email: text('email'),
    phone: text('phone'),
    website: text('website'),
    vat_number: text('vat_number'),
    coc_number: text('coc_number'),
    fiscal_number: text('fiscal_number'),
    street_name: text('street_name'),
    house_number: text('house_number'),
    zip_code: text('zipcode'),
    city: text('city'),
    province: text('province'),
    country: text('country'),
  }
}

function paymentOf(data: unknown) {
  return {
    total: hundredth(data, 'amount'),
    subtotal: hundredth(data, 'amountexvat'),
    total_tax: hundredth(data, 'vatamount'),
    tax_rate: listAt(data, 'vatitems').length === 1 ? hundredth(data, 'vatitems', 0, 'percentage') : null,
    amount_change: hundredth(data, 'amount_change'),
    amount_shipping: hundredth(data, 'amount_shipping'),
    amount_tip: hundredth(data, 'amount_tip'),
    payment_method: textAt(data, 'paymentmethod'),
    payment_card_number: textAt(data, 'payment_card_number'),
    payment_auth_code: textAt(data, 'payment_auth_code'),
    transaction_number: textAt(data, 'transaction_number'),
    transaction_reference: textAt(data, 'transaction_reference'),
  }
}

function paperOf(data: unknown) {
  return {
    invoice_receipt_id: textAt(data, 'invoice_number') ?? textAt(data, 'receipt_number'),
    purchase_order: textAt(data, 'order_number'),
    invoice_date: textAt(data, 'purchasedate') ?? textAt(data, 'date'),
    time: textAt(data, 'purchasetime'),
    invoice_due_date: textAt(data, 'payment_due_date'),
    service_start_date: textAt(data, 'service_date'),
    barcodes: barcodesIn(data, 'value'),
  }
}

function toLine(line: unknown) {
  return {
    title: textAt(line, 'title'),
    description: textAt(line, 'description') ?? textAt(line, 'title'),
    quantity: numberAt(line, 'quantity'),
    unit_type: textAt(line, 'unit_of_measurement'),
    unit_price: hundredth(line, 'amount_each'),
    amount_line: hundredth(line, 'amount'),
    sub_total: hundredth(line, 'amount_ex_vat'),
    tax: hundredth(line, 'vat_amount'),
    tax_rate: hundredth(line, 'vat_percentage'),
    discount_amount: hundredth(line, 'discount_amount'),
    discount_rate: hundredth(line, 'discount_percentage'),
    discount_code: textAt(line, 'discount_code'),
    product_code: textAt(line, 'sku'),
    order_number: textAt(line, 'order_number'),
  }
}

function hundredth(value: unknown, ...path: (string | number)[]): number | null {
  const cents = numberAt(value, ...path)
  return cents ? cents / 100 : null
}
