import { ownOf } from '../../../../base/schema/record.ts'
import { type Entry, financialDocument, type Line, type FieldPath } from '../../results/financial-entries.ts'
import { analyzed, startAnalysis } from '../../vendors/microsoft/documents.ts'
import { type AnalyzedDocument, type AnalyzedField, pollFields, printedIn } from '../../vendors/microsoft/fields.ts'
import { requestedDocumentType } from '../../results/requested-document-type.ts'
import { adapter } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import financialParser from './feature.ts'

const PLACES: Readonly<Record<string, FieldPath>> = {
  VendorName: 'merchant_information.name',
  VendorAddress: 'merchant_information.address',
  VendorTaxId: 'merchant_information.tax_id',
  MerchantName: 'merchant_information.name',
  MerchantAddress: 'merchant_information.address',
  MerchantPhoneNumber: 'merchant_information.phone',
  CustomerName: 'customer_information.name',
  CustomerId: 'customer_information.customer_number',
  CustomerTaxId: 'customer_information.tax_id',
  CustomerAddress: 'customer_information.mailling_address',
  BillingAddress: 'customer_information.billing_address',
  ShippingAddress: 'customer_information.shipping_address',
  ServiceAddress: 'customer_information.service_address',
  RemittanceAddress: 'customer_information.remittance_address',
  InvoiceId: 'financial_document_information.invoice_receipt_id',
  InvoiceDate: 'financial_document_information.invoice_date',
  TransactionDate: 'financial_document_information.invoice_date',
  TransactionTime: 'financial_document_information.time',
  DueDate: 'financial_document_information.invoice_due_date',
  PurchaseOrder: 'financial_document_information.purchase_order',
  ServiceStartDate: 'financial_document_information.service_start_date',
  ServiceEndDate: 'financial_document_information.service_end_date',
  InvoiceTotal: 'payment_information.total',
  Total: 'payment_information.total',
  SubTotal: 'payment_information.subtotal',
  Subtotal: 'payment_information.subtotal',
  TotalTax: 'payment_information.total_tax',
  TotalDiscount: 'payment_information.discount',
  Tip: 'payment_information.amount_tip',
  AmountDue: 'payment_information.amount_due',
  PreviousUnpaidBalance: 'payment_information.previous_unpaid_balance',
  PaymentTerm: 'payment_information.payment_terms',
  CountryRegion: 'local.country',
}

const BANK: Readonly<Record<string, FieldPath>> = {
  IBAN: 'bank.iban',
  SWIFT: 'bank.swift',
  BankAccountNumber: 'bank.account_number',
  BPayBillerCode: 'financial_document_information.biller_code',
}

const LINE_FIELDS: Readonly<Record<string, string>> = {
  Description: 'description',
  Quantity: 'quantity',
  Unit: 'unit_type',
  QuantityUnit: 'unit_type',
  UnitPrice: 'unit_price',
  Price: 'unit_price',
  Amount: 'amount_line',
  TotalPrice: 'amount_line',
  ProductCode: 'product_code',
  Date: 'date',
  Tax: 'tax',
  TaxRate: 'tax_rate',
}

export default adapter(financialParser, async (task, tools) => {
  const type = requestedDocumentType(task.input.document_type)
  const locale = namedLanguage(task.input.language)
  const query = { ...(locale && { locale }), ...task.params }
  const ticket = await startAnalysis(tools, `prebuilt-${type}`, task.files.file!, query)
  const original = await analyzed(tools, ticket, pollFields)
  const extracted_data = (original.documents ?? []).map((document, index) => toDocument(document, index + 1, type))
  return { output: { extracted_data }, original, units: Math.max(1, original.pages.length) }
})

function toDocument({ fields = {}, boundingRegions }: AnalyzedDocument, index: number, type: string) {
  const named = Object.entries(fields)
  const entries = named.flatMap(([name, field]) => [...toEntries(PLACES, name, field), ...currencyOf(field)])
  const bank = objectsIn(fields.PaymentDetails).flatMap((one) =>
    one.flatMap(([name, field]) => toEntries(BANK, name, field)),
  )
  const lines = objectsIn(fields.Items).map(toLine)
  const page = boundingRegions?.[0]?.pageNumber ?? null
  return financialDocument([...entries, ...bank], lines, { index, page, type })
}

type Named = [name: string, field: Omit<AnalyzedField, 'valueArray'>]

function objectsIn(list: AnalyzedField | undefined): Named[][] {
  return (list?.valueArray ?? []).map(({ valueObject = {} }) => Object.entries(valueObject))
}

function toEntries(places: Readonly<Record<string, FieldPath>>, name: string, field: Named[1]): Entry[] {
  const path = ownOf(places, name)
  return path ? [{ path, text: printedIn(field) }] : []
}

function currencyOf({ valueCurrency }: AnalyzedField): Entry[] {
  return valueCurrency?.currencyCode ? [{ path: 'local.currency_code', text: valueCurrency.currencyCode }] : []
}

function toLine(fields: Named[]): Line {
  return fields.flatMap(([name, field]) => {
    const own = ownOf(LINE_FIELDS, name)
    return own ? [{ field: own, text: printedIn(field) }] : []
  })
}
