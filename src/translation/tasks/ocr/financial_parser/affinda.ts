import { withBlanks } from '../../fields/blanks.ts'
import { listAt, numberAt, textAt, valueAt } from '../../results/loose-fields.ts'
import { adapter } from '../../feature.ts'
import { FinancialDocument } from '../../fields/financial-document.ts'
import { affindaEntries, affindaText as text, askAffinda } from '../../vendors/affinda.ts'
import financialParser from './feature.ts'

// https://docs.affinda.com/reference: the fields of its invoice and receipt extractors

export default adapter(financialParser, async (task, tools) => {
  const requested = task.input.document_type ?? 'invoice'
  const type = requested === 'auto-detect' ? undefined : requested
  const { original, data, extractor, pages } = await askAffinda(tools, task, type)
  return { output: { extracted_data: [toDocument(data, type ?? extractor ?? null)] }, original, units: pages }
})

function amount(data: unknown, field: string): number | null {
  return numberAt(data, field, 'parsed') ?? numberAt(data, field, 'raw')
}

function toDocument(data: unknown, document_type: string | null) {
  return withBlanks(FinancialDocument, {
    customer_information: customerOf(data),
    merchant_information: merchantOf(data),
    payment_information: {
      total: amount(data, 'paymentAmountTotal'),
      subtotal: amount(data, 'paymentAmountBase'),
      total_tax: amount(data, 'paymentAmountTax'),
      amount_due: amount(data, 'paymentAmountDue'),
      amount_paid: amount(data, 'paymentAmountPaid'),
      amount_change: amount(data, 'paymentChange'),
      amount_shipping: amount(data, 'paymentDelivery'),
      previous_unpaid_balance: amount(data, 'openingBalance'),
      payment_terms: text(data, 'paymentTerms'),
      payment_method: text(data, 'paymentMethod'),
      payment_card_number: text(data, 'paymentCardInformation'),
      transaction_reference: text(data, 'paymentReference'),
    },
    financial_document_information: {
      invoice_receipt_id: text(data, 'invoiceNumber') ?? text(data, 'receiptNumber'),
      purchase_order: text(data, 'invoicePurchaseOrderNumber'),
      invoice_date: text(data, 'invoiceDate') ?? text(data, 'date') ?? text(data, 'receiptDate'),
      time: text(data, 'time') ?? text(data, 'receiptTime'),
      invoice_due_date: text(data, 'paymentDateDue'),
      reference: text(data, 'paymentReference'),
      order_date: text(data, 'invoiceOrderDate'),
      biller_code: text(data, 'bpayBillerCode'),
    },
    local: { currency_code: currencyIn(data, 'currencyCode') ?? currencyIn(data, 'receiptCurrencyCode') },
    bank: {
      iban: text(data, 'bankIban'),
      swift: text(data, 'bankSwift'),
      bsb: text(data, 'bankBsb'),
      sort_code: text(data, 'bankSortCode'),
      account_number: text(data, 'bankAccountNumber'),
    },
    item_lines: linesOf(data),
    document_metadata: { document_index: 1, document_type },
  })
}

function customerOf(data: unknown) {
  return {
    name: text(data, 'customerCompanyName') ?? text(data, 'customerContactName'),
    customer_number: text(data, 'customerNumber'),
    email: text(data, 'customerEmail'),
    phone: text(data, 'customerPhoneNumber'),
    tax_id: text(data, 'customerBusinessNumber'),
    vat_number: text(data, 'customerVat'),
    billing_address: textAt(data, 'customerBillingAddress', 'raw'),
    shipping_address: textAt(data, 'customerDeliveryAddress', 'raw'),
    ...partsOf(data, 'customerBillingAddress'),
  }
}

function merchantOf(data: unknown) {
  return {
    name: text(data, 'supplierCompanyName'),
    address: textAt(data, 'supplierAddress', 'raw'),
    phone: text(data, 'supplierPhoneNumber'),
    email: text(data, 'supplierEmail'),
    fax: text(data, 'supplierFax'),
    website: text(data, 'supplierWebsite'),
    tax_id: text(data, 'supplierBusinessNumber'),
    vat_number: text(data, 'supplierVat'),
    country_code: textAt(data, 'supplierAddress', 'parsed', 'countryCode'),
    ...partsOf(data, 'supplierAddress'),
  }
}

function partsOf(data: unknown, field: string) {
  const part = (name: string) => textAt(data, field, 'parsed', name)
  return {
    street_name: part('street'),
    house_number: part('streetNumber'),
    zip_code: part('postalCode'),
    city: part('city'),
    province: part('state'),
    country: part('country'),
  }
}

function currencyIn(data: unknown, field: string): string | null {
  return textAt(data, field, 'parsed', 'value') ?? textAt(data, field, 'raw')
}

/** Lines are the rows of tables, whose field differs between extractors. */
function linesOf(data: unknown) {
  const tables = ['lineItemTable', 'tables'].flatMap((field) => affindaEntries(data, field))
  const rows = tables.flatMap((table) => listAt(table, 'parsed', 'rows'))
  return rows.map((row) => {
    const cells = valueAt(row, 'parsed')
    return {
      description: text(cells, 'itemDescription'),
      product_code: text(cells, 'itemCode'),
      quantity: amount(cells, 'itemQuantity'),
      unit_price: amount(cells, 'itemUnitPrice'),
      amount_line: amount(cells, 'itemTotal'),
      unit_type: text(cells, 'itemUnit'),
      date: text(cells, 'itemDate'),
      tax: amount(cells, 'itemTaxTotal'),
      tax_rate: amount(cells, 'itemTaxRate'),
      base_total: amount(cells, 'itemBaseTotal'),
      discount_amount: amount(cells, 'itemDiscount'),
    }
  })
}
