import Type, { type Static } from '../../../schema/type.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { type Entry, financialDocument, type Line, type Place } from '../../results/financial-entries.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { documentAtOnce } from '../../vendors/amazon/textract.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import financialParser from './feature.ts'

// https://docs.aws.amazon.com/textract/latest/dg/API_AnalyzeExpense.html. Amazon distinguishes invoices and receipts itself.

const PLACES: Readonly<Record<string, Place>> = {
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

const Field = Type.Object({
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
  const fields = { ...task.params, Document: await documentAtOnce(task.files.file!) }
  const original = await askAmazon(tools, 'textract.AnalyzeExpense', fields, readReply)
  const extracted_data = original.ExpenseDocuments.map(toDocument)
  return { output: { extracted_data }, original, units: measuredUnits(financialParser, task) }
})

function toDocument({ ExpenseIndex = 1, SummaryFields, LineItemGroups = [] }: Static<typeof Expense>) {
  const page = SummaryFields[0]?.PageNumber ?? 1
  const lines = LineItemGroups.flatMap(({ LineItems }) => LineItems).map((line) => toLine(line.LineItemExpenseFields))
  return financialDocument(SummaryFields.flatMap(toEntries), lines, { index: ExpenseIndex, page, type: null })
}

function toEntries({ Type: kind, ValueDetection, Currency }: Static<typeof Field>): Entry[] {
  const place = PLACES[kind?.Text ?? '']
  const currency: Entry[] = Currency?.Code ? [{ place: 'local.currency_code', text: Currency.Code }] : []
  return place ? [{ place, text: ValueDetection?.Text ?? '' }, ...currency] : currency
}

function toLine(fields: Static<typeof Field>[]): Line {
  return fields.flatMap(({ Type: kind, ValueDetection }) => {
    const field = LINE_FIELDS[kind?.Text ?? '']
    return field ? [{ field, text: ValueDetection?.Text ?? '' }] : []
  })
}
