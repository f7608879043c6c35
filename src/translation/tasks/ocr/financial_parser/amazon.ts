import Type, { type Static } from '../../../../base/schema/type.ts'
import { ownOf } from '../../../../base/schema/record.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { type Entry, financialDocument, type Line, type FieldPath } from '../../results/financial-entries.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { readPages } from '../../vendors/amazon/textract.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import financialParser from './feature.ts'

// https://docs.aws.amazon.com/textract/latest/dg/API_AnalyzeExpense.html. Amazon distinguishes invoices and receipts itself.

const PLACES: Readonly<Record<string, FieldPath>> = {
  VENDOR_NAME: 'merchant_information.name',
  VENDOR_ADDRESS: 'merchant_information.address',
  VENDOR_PHONE: 'merchant_information.phone',
  VENDOR_URL: 'merchant_information.website',
  VENDOR_VAT_NUMBER: 'merchant_information.vat_number',
  VENDOR_GST_NUMBER: 'merchant_information.gst_number',
  VENDOR_ABN_NUMBER: 'merchant_information.abn_number',
  VENDOR_PAN_NUMBER: 'merchant_information.pan_number',
  TAX_PAYER_ID: 'merchant_information.tax_id',
  RECEIVER_NAME: 'customer_information.name',
  RECEIVER_ADDRESS: 'customer_information.billing_address',
  RECEIVER_PHONE: 'customer_information.phone',
  RECEIVER_VAT_NUMBER: 'customer_information.vat_number',
  RECEIVER_GST_NUMBER: 'customer_information.gst_number',
  RECEIVER_ABN_NUMBER: 'customer_information.abn_number',
  RECEIVER_PAN_NUMBER: 'customer_information.pan_number',
  CUSTOMER_NUMBER: 'customer_information.customer_number',
  TOTAL: 'payment_information.total',
  SUBTOTAL: 'payment_information.subtotal',
  TAX: 'payment_information.total_tax',
  AMOUNT_DUE: 'payment_information.amount_due',
  AMOUNT_PAID: 'payment_information.amount_paid',
  DISCOUNT: 'payment_information.discount',
  GRATUITY: 'payment_information.gratuity',
  SERVICE_CHARGE: 'payment_information.service_charge',
  PRIOR_BALANCE: 'payment_information.prior_balance',
  SHIPPING_HANDLING_CHARGE: 'payment_information.shipping_handling_charge',
  PAYMENT_TERMS: 'payment_information.payment_terms',
  INVOICE_RECEIPT_ID: 'financial_document_information.invoice_receipt_id',
  INVOICE_RECEIPT_DATE: 'financial_document_information.invoice_date',
  DUE_DATE: 'financial_document_information.invoice_due_date',
  ORDER_DATE: 'financial_document_information.order_date',
  PO_NUMBER: 'financial_document_information.purchase_order',
  ACCOUNT_NUMBER: 'bank.account_number',
}

const LINE_FIELDS: Readonly<Record<string, string>> = {
  ITEM: 'description',
  QUANTITY: 'quantity',
  UNIT_PRICE: 'unit_price',
  PRICE: 'amount_line',
  PRODUCT_CODE: 'product_code',
}

const CUSTOMER: Readonly<Record<string, FieldPath>> = {
  NAME: 'customer_information.name',
  ADDRESS: 'customer_information.billing_address',
  ADDRESS_BLOCK: 'customer_information.billing_address',
  STREET: 'customer_information.street_name',
  CITY: 'customer_information.city',
  STATE: 'customer_information.province',
  ZIP_CODE: 'customer_information.zip_code',
  COUNTRY: 'customer_information.country',
}
const MERCHANT: Readonly<Record<string, FieldPath>> = {
  NAME: 'merchant_information.name',
  ADDRESS: 'merchant_information.address',
  ADDRESS_BLOCK: 'merchant_information.address',
  STREET: 'merchant_information.street_name',
  CITY: 'merchant_information.city',
  STATE: 'merchant_information.province',
  ZIP_CODE: 'merchant_information.zip_code',
  COUNTRY: 'merchant_information.country',
}
const RECIPIENT: Readonly<Record<string, FieldPath>> = {
  ADDRESS: 'customer_information.shipping_address',
  ADDRESS_BLOCK: 'customer_information.shipping_address',
  NAME: 'customer_information.name',
}
const PAYEE: Readonly<Record<string, FieldPath>> = {
  NAME: 'customer_information.remit_to_name',
  ADDRESS: 'customer_information.remittance_address',
  ADDRESS_BLOCK: 'customer_information.remittance_address',
}

/** The parties of a document, the one that is meant most exactly first. */
const PARTIES: { group: string; places: Readonly<Record<string, FieldPath>> }[] = [
  { group: 'VENDOR', places: MERCHANT },
  { group: 'VENDOR_SUPPLIER', places: MERCHANT },
  { group: 'VENDOR_REMIT_TO', places: PAYEE },
  { group: 'RECEIVER_BILL_TO', places: CUSTOMER },
  { group: 'RECEIVER', places: CUSTOMER },
  { group: 'RECEIVER_SOLD_TO', places: CUSTOMER },
  { group: 'RECEIVER_SHIP_TO', places: RECIPIENT },
]

const Group = Type.Object({ Types: Type.Optional(Type.Array(Type.String())) })
const Field = Type.Object({
  GroupProperties: Type.Optional(Type.Array(Group)),
  Type: Type.Optional(Type.Object({ Text: Type.String() })),
  ValueDetection: Type.Optional(Type.Object({ Text: Type.Optional(Type.String()) })),
  Currency: Type.Optional(Type.Object({ Code: Type.Optional(Type.String()) })),
  PageNumber: Type.Optional(Type.Integer()),
})
const Lines = Type.Array(Type.Object({ LineItemExpenseFields: Type.Array(Field) }))
const Expense = Type.Object({
  ExpenseIndex: Type.Optional(Type.Integer()),
  SummaryFields: Type.Array(Field),
  LineItemGroups: Type.Optional(Type.Array(Type.Object({ LineItems: Lines }))),
})
const readReply = replyReader(Type.Object({ ExpenseDocuments: Type.Array(Expense) }))

export default adapter(financialParser, async (task, tools) => {
  const replies = await readPages(tools, task.files.file!, (Document) => {
    return askAmazon(tools, 'textract.AnalyzeExpense', { ...task.params, Document }, readReply)
  })
  const expenses = replies.flatMap(({ ExpenseDocuments }, index) => {
    return ExpenseDocuments.map((expense) => ({ expense, page: replies.length > 1 ? index + 1 : pageOf(expense) }))
  })
  const extracted_data = expenses.map(({ expense, page }, index) => toDocument(expense, index + 1, page))
  const original = replies.length > 1 ? replies : replies[0]
  return { output: { extracted_data }, original, units: measuredUnits(financialParser, task) }
})

function toDocument({ SummaryFields, LineItemGroups = [] }: Static<typeof Expense>, index: number, page: number) {
  const lines = LineItemGroups.flatMap(({ LineItems }) => LineItems).map((line) => toLine(line.LineItemExpenseFields))
  const entries = [...SummaryFields.flatMap(toEntries), ...groupedEntries(SummaryFields)]
  return financialDocument(entries, lines, { index, page, type: null })
}

function pageOf({ SummaryFields }: Static<typeof Expense>): number {
  return SummaryFields[0]?.PageNumber ?? 1
}

/** Amazon gives the fields of an address to each party whose address it is. The first party of a path wins. */
function groupedEntries(fields: Static<typeof Field>[]): Entry[] {
  return PARTIES.flatMap(({ group, places }) => {
    const own = fields.filter(({ GroupProperties = [] }) =>
      GroupProperties.some(({ Types = [] }) => Types.includes(group)),
    )
    return Object.entries(places).flatMap(([type, path]) => {
      return own.filter(({ Type: kind }) => kind?.Text === type).map((field) => ({ path, text: valueIn(field) }))
    })
  })
}

function valueIn({ ValueDetection }: Static<typeof Field>): string {
  return ValueDetection?.Text ?? ''
}

function toEntries(field: Static<typeof Field>): Entry[] {
  const { Type: kind, Currency } = field
  const path = ownOf(PLACES, kind?.Text)
  const currency: Entry[] = Currency?.Code ? [{ path: 'local.currency_code', text: Currency.Code }] : []
  return path ? [{ path, text: valueIn(field) }, ...currency] : currency
}

function toLine(fields: Static<typeof Field>[]): Line {
  return fields.flatMap((one) => {
    const field = ownOf(LINE_FIELDS, one.Type?.Text)
    return field ? [{ field, text: valueIn(one) }] : []
  })
}
