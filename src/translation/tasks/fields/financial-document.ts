import Type from '../../../base/schema/type.ts'
import { closedObject } from '../closed-object.ts'
import { nullableFields } from '../nullable-fields.ts'

const Text = Type.String()
const Amount = Type.Number()

/** Registration numbers of a company, the same for seller and customer. */
const COMPANY_NUMBERS = {
  vat_number: 'Value-added tax number.',
  abn_number: 'Australian business number.',
  gst_number: 'Goods and services tax number.',
  pan_number: 'Indian permanent account number.',
  business_number: 'Business number.',
  siret_number: 'French number of the establishment.',
  siren_number: 'French number of the company.',
  coc_number: 'Number at the chamber of commerce.',
  fiscal_number: 'Fiscal number.',
  tax_id: 'Number at the tax office.',
}

const PARTS_OF_ADDRESS = {
  city: 'City of the address.',
  country: 'Country of the address.',
  house_number: 'House number of the address.',
  province: 'Province or state of the address.',
  street_name: 'Street of the address.',
  zip_code: 'Postal code of the address.',
}

const Customer = closedObject(
  nullableFields(Text, {
    name: 'Name of the customer.',
    id_reference: "The merchant's reference for the customer.",
    mailling_address: 'Mailing address.',
    billing_address: 'Billing address.',
    shipping_address: 'Shipping address.',
    service_address: 'Service address.',
    remittance_address: 'Remittance address.',
    email: 'E-mail address.',
    phone: 'Telephone number.',
    ...COMPANY_NUMBERS,
    customer_number: 'Number of the customer.',
    registration_number: 'Number in the register of companies.',
    website: 'Web address.',
    remit_to_name: 'To whom the payment goes.',
    ...PARTS_OF_ADDRESS,
    municipality: 'Municipality of the address.',
  }),
  'Who has to pay.',
)

const Merchant = closedObject(
  nullableFields(Text, {
    name: 'Name of the merchant.',
    address: 'Whole address in one line.',
    phone: 'Telephone number.',
    id_reference: "The customer's reference for the merchant.",
    ...COMPANY_NUMBERS,
    email: 'E-mail address.',
    fax: 'Fax number.',
    website: 'Web address.',
    registration: 'Number in the register of companies.',
    ...PARTS_OF_ADDRESS,
    country_code: 'Country of the address as an ISO code.',
  }),
  'Who is paid.',
)

const Payment = closedObject(
  {
    ...nullableFields(Amount, {
      amount_due: 'Amount due.',
      amount_tip: 'Tip.',
      amount_shipping: 'Charge for shipping.',
      amount_change: 'Change.',
      amount_paid: 'Amount paid.',
      total: 'Sum with tax.',
      subtotal: 'Sum before tax.',
      total_tax: 'Tax on everything.',
      tax_rate: 'Rate of the tax, in percent.',
      discount: 'Discount.',
      gratuity: 'Gratuity.',
      service_charge: 'Charge for service.',
      previous_unpaid_balance: 'Previously unpaid amount.',
      prior_balance: 'Balance before this document.',
      shipping_handling_charge: 'Charge for shipping and handling.',
    }),
    ...nullableFields(Text, {
      payment_terms: 'Payment terms.',
      payment_method: 'Payment method.',
      payment_card_number: 'The card that was used, mostly its last digits.',
      payment_auth_code: 'Authorisation code of the payment.',
      transaction_number: 'Number of the transaction.',
      transaction_reference: 'Reference of the transaction.',
    }),
  },
  'Amounts, and how they are paid.',
)

const Barcode = closedObject({
  value: Type.String({ description: 'What it says.' }),
  type: Type.String({ description: 'Its kind, such as `QR` or `EAN13`.' }),
})

const Paper = closedObject(
  {
    ...nullableFields(Text, {
      invoice_receipt_id: 'Number of the invoice or receipt.',
      purchase_order: 'Number of the order it is for.',
      invoice_date: 'Date of issue.',
      time: 'Time of issue.',
      invoice_due_date: 'Due date.',
      service_start_date: 'When the service began.',
      service_end_date: 'When the service ended.',
      reference: 'Reference to quote.',
      biller_code: 'Code of the biller.',
      order_date: 'When it was ordered.',
      tracking_number: 'Number of the parcel.',
    }),
    barcodes: Type.Array(Barcode, { description: 'Barcodes on it.' }),
  },
  'Numbers and dates of the document.',
)

const Locale = closedObject(
  nullableFields(Text, {
    currency: 'Currency by name or sign.',
    currency_code: 'Currency as an ISO code.',
    currency_exchange_rate: 'Exchange rate printed on it.',
    country: 'Country it was issued in.',
    language: 'Language it is written in.',
  }),
  'Where it comes from.',
)

const Bank = closedObject(
  nullableFields(Text, {
    iban: 'International account number.',
    swift: 'SWIFT code.',
    bsb: 'Australian branch code.',
    sort_code: 'British branch code.',
    account_number: 'Account number.',
    routing_number: 'American routing number.',
    bic: 'Bank identifier code.',
  }),
  'The account to pay to.',
)

const Line = closedObject({
  ...nullableFields(Amount, {
    tax: 'Tax on the line.',
    amount_line: 'Sum of the line.',
    quantity: 'How many.',
    unit_price: 'Price of one.',
    tax_rate: 'Rate of the tax, in percent.',
    base_total: 'Sum before discount and tax.',
    sub_total: 'Sum before tax.',
    discount_amount: 'Discount.',
    discount_rate: 'Discount in percent.',
  }),
  ...nullableFields(Text, {
    description: 'What it is.',
    unit_type: 'Unit, such as pieces or hours.',
    date: 'Date of the line.',
    product_code: 'Code of the product.',
    purchase_order: 'Number of the order it belongs to.',
    discount_code: 'Code of the discount.',
    order_number: 'Number of the order.',
    title: 'Heading of the line.',
  }),
})

const Metadata = closedObject(
  {
    ...nullableFields(Type.Integer(), {
      document_index: 'Which document of the file it is.',
      document_page_number: 'On which page it begins.',
    }),
    ...nullableFields(Text, { document_type: 'What kind of document it is.' }),
  },
  'Where in the file it was found.',
)

/** The fields of an invoice or a receipt. The spelling of `mailling_address` is the one that clients know. */
export const FinancialDocument = closedObject({
  customer_information: Customer,
  merchant_information: Merchant,
  payment_information: Payment,
  financial_document_information: Paper,
  local: Locale,
  bank: Bank,
  item_lines: Type.Array(Line, { description: 'The billed items, line by line.' }),
  document_metadata: Metadata,
})
