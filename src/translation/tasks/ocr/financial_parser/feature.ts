import Type from '../../../../base/schema/type.ts'
import { optional, words } from '../../../../base/schema/fields.ts'
import { withBlanks } from '../../fields/blanks.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { FinancialDocument } from '../../fields/financial-document.ts'
import { optionalLanguage } from '../../fields/language.ts'

export default feature({
  feature: 'ocr',
  subfeature: 'financial_parser',
  fullname: 'OCR: Financial parser',
  description: 'Reads an invoice or a receipt and gives its parties, amounts, dates and lines.',
  mode: 'sync',
  input: closedObject({
    file: fileInput('The invoice or receipt, as a PDF or an image.'),
    language: optionalLanguage('Language of the document.'),
    document_type: optional(
      words(['auto-detect', 'invoice', 'receipt']),
      'Type of the document. Not every provider can detect it.',
      { default: 'invoice' },
    ),
  }),
  output: closedObject({
    extracted_data: Type.Array(FinancialDocument, { description: 'One entry per document or page.' }),
  }),
  example: {
    input: { file: 'https://example.com/invoice.pdf', language: 'en', document_type: 'invoice' },
    output: {
      extracted_data: [
        withBlanks(FinancialDocument, {
          customer_information: { name: 'Harbour Books', billing_address: '4 Quay Street, Galway', country: 'Ireland' },
          merchant_information: { name: 'Paper & Sons', vat_number: 'IE1234567T', email: 'sales@paper.example' },
          payment_information: { total: 123, subtotal: 100, total_tax: 23, tax_rate: 23, amount_due: 123 },
          financial_document_information: {
            invoice_receipt_id: '2030-017',
            invoice_date: '2030-01-31',
            invoice_due_date: '2030-03-02',
            barcodes: [{ value: '2030017', type: 'CODE128' }],
          },
          local: { currency: 'Euro', currency_code: 'EUR', country: 'Ireland', language: 'en' },
          bank: { iban: 'IE29AIBK93115212345678', bic: 'AIBKIE2D' },
          item_lines: [{ description: 'Paper, A4', quantity: 20, unit_price: 5, amount_line: 100, tax_rate: 23 }],
          document_metadata: { document_index: 1, document_page_number: 1, document_type: 'invoice' },
        }),
      ],
    },
  },
  refusesBlank: true,
  unit: 'page',
})
