import Type from '../../../../base/schema/type.ts'
import { mapOf } from '../../../../base/schema/fields.ts'
import { withBlanks } from '../../fields/blanks.ts'
import { FinancialDocument } from '../../fields/financial-document.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { formPayload } from '../../http/payload.ts'
import { AUTH_SENTENCE, abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { ticketId } from '../../http/ticket-id.ts'
import { untilDone } from '../../http/until-done.ts'
import { listAt, numberAt, textAt } from '../../results/loose-fields.ts'
import { adapter, type Tools } from '../../feature.ts'
import financialParser from './feature.ts'

// https://docs.tabscanner.com. A file is handed in and asked for with a token. Errors may have status 200: `code` says what is
// wrong. An amount that was not found is zero, with a confidence of zero.

const ACCEPTED = { types: ['image/jpeg', 'image/png'] }
const KINDS = { 'auto-detect': 'auto', invoice: 'invoice', receipt: 'receipt' }
/** The key is not known, and the account has no credit. */
const ACCOUNT_CODES = [400, 401]

const verdict = {
  success: Type.Boolean(),
  code: Type.Integer(),
  message: Type.Optional(Type.String()),
}
const readTicket = replyReader(Type.Object({ ...verdict, token: Type.Optional(Type.String()) }))
const readState = replyReader(
  Type.Object({
    ...verdict,
    status: Type.Optional(Type.String()),
    result: Type.Optional(mapOf(Type.Unknown())),
  }),
)

type Verdict = { success: boolean; code: number; message?: string }

export default adapter(financialParser, async (task, tools) => {
  const file = acceptFile(task.files.file!, ACCEPTED)
  const documentType = KINDS[task.input.document_type ?? 'invoice']
  const payload = await formPayload({ ...task.params, documentType, file: undefined }, [{ field: 'file', file }])
  const sent = await askForJson(tools, { path: '/api/2/process', payload }, readTicket)
  refuse(sent, tools)
  if (!sent.token) throw new TaskFailure('garbage', 'the answer of the provider contains no id of the task')
  const path = `/api/result/${ticketId(sent.token)}`
  const original = await untilDone(() => look(tools, path), tools)
  return { output: { extracted_data: [toDocument(original.result)] }, original, units: 1 }
})

async function look(tools: Tools, path: string) {
  const state = await askForJson(tools, { path }, readState)
  if (state.status === 'failed') throw abandoned(tools, String(state.code), state.message)
  refuse(state, tools)
  if (state.status !== 'done') return 'pending'
  if (!state.result) throw new TaskFailure('garbage', 'the answer of the provider contains no result')
  return state
}

function refuse({ success, code, message }: Verdict, tools: Tools): void {
  if (success) return
  if (ACCOUNT_CODES.includes(code)) throw new TaskFailure('auth', AUTH_SENTENCE, { code: String(code) })
  const kind = code < 500 ? 'bad_request' : 'server_error'
  throw new TaskFailure(kind, tools.redacted(message || `the provider answered with code ${code}`), {
    code: String(code),
  })
}

function toDocument(result: unknown) {
  const own = (field: string) => textAt(result, 'customFields', field)
  const place = (field: string) => textAt(result, 'addressNorm', field)
  const [day = null, time = null] = textAt(result, 'date')?.split(' ') ?? []
  return withBlanks(FinancialDocument, {
    merchant_information: {
      name: textAt(result, 'establishment'),
      address: textAt(result, 'address'),
      phone: textAt(result, 'phoneNumber'),
      website: textAt(result, 'url') ?? own('URL'),
      vat_number: own('VATNumber'),
      id_reference: own('StoreID'),
      street_name: place('street'),
      house_number: place('number'),
      zip_code: place('postcode'),
      city: place('city'),
      province: place('state'),
      country: place('country'),
    },
    payment_information: {
      total: foundAt(result, 'total'),
      subtotal: foundAt(result, 'subTotal'),
      total_tax: positiveAt(result, 'tax'),
      amount_tip: foundAt(result, 'tip'),
      amount_paid: foundAt(result, 'cash'),
      amount_change: foundAt(result, 'change'),
      discount: positiveAt(result, 'discount'),
      payment_method: textAt(result, 'paymentMethod') ?? own('PaymentMethod'),
      payment_card_number: own('CardLast4Digits'),
    },
    financial_document_information: {
      invoice_date: day,
      time: time === '00:00:00' ? null : time,
    },
    local: { currency_code: textAt(result, 'currency') ?? own('Currency'), country: own('Country') },
    item_lines: listAt(result, 'lineItems').map(toLine),
    document_metadata: { document_index: 1, document_type: textAt(result, 'documentType') },
  })
}

function toLine(line: unknown) {
  return {
    description: textAt(line, 'descClean') ?? textAt(line, 'desc'),
    quantity: positiveAt(line, 'qty'),
    unit_type: textAt(line, 'unit'),
    unit_price: positiveAt(line, 'price'),
    amount_line: numberAt(line, 'lineTotal'),
    discount_amount: positiveAt(line, 'discount'),
    product_code: textAt(line, 'productCode'),
  }
}

/** Zero only if the provider is confident that it is. */
function foundAt(result: unknown, field: string): number | null {
  return numberAt(result, `${field}Confidence`) === 0 ? positiveAt(result, field) : numberAt(result, field)
}

/** Nothing else says that a zero was found. */
function positiveAt(value: unknown, field: string): number | null {
  return numberAt(value, field) || null
}
