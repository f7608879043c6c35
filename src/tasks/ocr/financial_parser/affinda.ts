import { withBlanks } from '../../fields/blanks.ts'
import { listAt, numberAt, textAt, valueAt } from '../../results/loose-fields.ts'
import { requestedDocumentType } from '../../results/requested-document-type.ts'
import { adapter } from '../../feature.ts'
import { FinancialDocument } from '../../fields/financial-document.ts'
import { askAffinda } from '../../vendors/affinda.ts'
import financialParser from './feature.ts'

// https://docs.affinda.com/reference: the fields of its invoice and receipt extractors

export default adapter(financialParser, async (task, tools) => {
  const type = requestedDocumentType(task.input.document_type)
  const { original, data, pages } = await askAffinda(tools, task, type)
  return { output: { extracted_data: [toDocument(data, type)] }, original, units: pages }
})

/** The parsed date or amount, or else the raw text. */
function text(data: unknown, field: string): string | null {
  return textAt(data, field, 'parsed') ?? textAt(data, field, 'raw')
}

function amount(data: unknown, field: string): number | null {
  return numberAt(data, field, 'parsed') ?? numberAt(data, field, 'raw')
}

function toDocument(data: unknown, document_type: string) {
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
      payment_card_number: text(data, 'paymentCardInformation'),
    },
    financial_document_information: {
      invoice_receipt_id: text(data, 'invoiceNumber') ?? text(data, 'receiptNumber'),
      purchase_order: text(data, 'invoicePurchaseOrderNumber'),
      invoice_date: text(data, 'invoiceDate') ?? text(data, 'receiptDate'),
      time: text(data, 'receiptTime'),
      invoice_due_date: text(data, 'paymentDateDue'),
      reference: text(data, 'paymentReference'),
    },
    local: { currency_code: textAt(data, 'currencyCode', 'parsed', 'value') ?? textAt(data, 'currencyCode', 'raw') },
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
  }
}

/** Lines are the rows of tables. */
function linesOf(data: unknown) {
  const rows = listAt(data, 'tables').flatMap((table) => listAt(table, 'parsed', 'rows'))
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
    }
  })
}
