import Type, { type Static } from '../../../../base/schema/type.ts'
import { mapOf } from '../../../../base/schema/fields.ts'
import { withBlanks } from '../../fields/blanks.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { SCANS } from '../../inputs/document-kinds.ts'
import { joined, listAt, numberAt, textAt } from '../../results/loose-fields.ts'
import { formPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { FinancialDocument } from '../../fields/financial-document.ts'
import financialParser from './feature.ts'

// https://eagle-doc.com/docs. Every value is a text with a confidence.

const ACCEPTED = { types: SCANS }

const PATHS = {
  'auto-detect': '/finance/v1/processing',
  invoice: '/invoice/v1/processing',
  receipt: '/receipt/v3/processing',
}

const Reply = Type.Object({
  general: mapOf(Type.Unknown()),
  numberOfPages: Type.Optional(Type.Integer({ minimum: 1 })),
})
const readReply = replyReader(Reply)

export default adapter(financialParser, async (task, tools) => {
  const path = PATHS[task.input.document_type ?? 'invoice']
  const file = acceptFile(task.files.file!, ACCEPTED)
  const payload = await formPayload({ ...task.params, file: undefined }, [{ field: 'file', file }])
  const original = await askForJson(tools, { path, payload }, readReply)
  const units = original.numberOfPages ?? file.pages ?? 1
  return { output: { extracted_data: [toDocument(original)] }, original, units }
})

function toDocument(reply: Static<typeof Reply>) {
  const text = (field: string) => textAt(reply.general, field, 'value')
  return withBlanks(FinancialDocument, {
    customer_information: customerOf(text),
    merchant_information: merchantOf(text),
    payment_information: {
      total: numberAt(reply.general, 'TotalPrice', 'value'),
      total_tax: taxesOf(reply),
      amount_tip: numberAt(reply.general, 'Tip', 'value'),
      payment_method: textAt(reply, 'payments', 0, 'PaymentMethod', 'value'),
      payment_card_number: textAt(reply, 'payments', 0, 'PaymentCardNumber', 'value'),
      payment_auth_code: text('TransactionAuthCode'),
      transaction_number: text('Transaction'),
      transaction_reference: text('TransactionRef'),
    },
    financial_document_information: {
      invoice_receipt_id: text('InvoiceNumber'),
      purchase_order: text('OrderNumber'),
      invoice_date: text('InvoiceDate') ?? text('Date'),
      time: text('Time'),
      invoice_due_date: text('InvoiceDueDate'),
      service_start_date: text('DeliveryDate1'),
      service_end_date: text('DeliveryDate2'),
    },
    local: { currency_code: text('Currency'), country: text('ShopCountry'), language: textAt(reply, 'mainLanguage') },
    bank: {
      iban: textAt(reply, 'paymentBanks', 0, 'IBAN', 'value'),
      bic: textAt(reply, 'paymentBanks', 0, 'BIC', 'value'),
    },
    item_lines: listAt(reply, 'productItems').map(toLine),
    document_metadata: { document_index: 1, document_type: textAt(reply, 'docType')?.toLowerCase() },
  })
}

type Read = (field: string) => string | null

function customerOf(text: Read) {
  return {
    name: text('CustomerName'),
    billing_address: addressOf(text, 'Customer'),
    vat_number: text('CustomerVATNumber'),
    ...partsOf(text, 'Customer'),
  }
}

function merchantOf(text: Read) {
  return {
    name: text('ShopName'),
    address: addressOf(text, 'Shop'),
    phone: text('Telephone') ?? text('ShopTel'),
    email: text('Email') ?? text('ShopEmail'),
    fax: text('Fax'),
    website: text('Website') ?? text('ShopWeb'),
    tax_id: text('TaxNumber') ?? text('ShopTaxNumber'),
    vat_number: text('VATNumber'),
    registration: text('CompanyRegistrationNumber'),
    country_code: text('ShopCountry'),
    ...partsOf(text, 'Shop'),
  }
}

function partsOf(text: Read, side: string) {
  return {
    street_name: text(`${side}Street`),
    house_number: text(`${side}HouseNumber`),
    zip_code: text(`${side}Zip`),
    city: text(`${side}City`),
    province: text(`${side}State`),
    country: text(`${side}Country`),
  }
}

function addressOf(text: Read, side: string): string | null {
  const { street_name, house_number, zip_code, city, province, country } = partsOf(text, side)
  return joined([street_name, house_number, zip_code, city, province, country])
}

/** One entry per tax rate. */
function taxesOf(reply: unknown): number | null {
  const amounts = listAt(reply, 'taxes').map((tax) => numberAt(tax, 'TaxAmount', 'value'))
  const taxes = amounts.filter((amount) => amount !== null)
  return taxes.length === 0 ? null : taxes.reduce((sum, amount) => sum + amount, 0)
}

function toLine(line: unknown) {
  return {
    description: textAt(line, 'ProductName', 'value'),
    product_code: textAt(line, 'ProductId', 'value'),
    quantity: numberAt(line, 'ProductQuantity', 'value'),
    unit_type: textAt(line, 'ProductUnit', 'value'),
    unit_price: numberAt(line, 'ProductUnitPrice', 'value'),
    amount_line: numberAt(line, 'ProductPrice', 'value'),
    tax: numberAt(line, 'TaxAmount', 'value'),
    tax_rate: numberAt(line, 'TaxPercentage', 'value'),
  }
}
