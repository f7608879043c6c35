import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CREDENTIAL } from '../http/fixtures/recording.ts'
import { listAt, valueAt } from '../results/loose-fields.ts'
import {
  failureOfAdapter,
  formOf,
  JSON_TYPE,
  jsonOf,
  linesOf,
  runAdapter,
  refusalAnswer,
} from './fixtures/run-adapter.ts'
import { FILES, INPUT, fieldsOf, BILL } from './fixtures/documents.ts'

test('google: the fields of its identity processors, dates as it tidied them', async () => {
  const { requests, output, units } = await runAdapter('ocr/identity_parser/google', INPUT)
  assert.deepEqual(linesOf(requests), ['POST /identity-parser:process'])
  const fields = ['last_name', 'given_names.1.value', 'birth_date.value', 'document_id.confidence', 'mrz.value']
  const [lastName, second, born, sure, mrz] = fieldsOf(output, ...fields)
  assert.deepEqual(
    [lastName, second, born, sure, units],
    [{ value: 'MARTIN', confidence: 0.99 }, 'Gaelle', '1990-07-13', 0.97, 1],
  )
  assert.match(String(mrz), /^P<FRAMARTIN/)
})

test('affinda: a document is read, waited for where it has to be, and deleted', async () => {
  const params = { collection: 'AbCdEfGh', file: 'mine' }
  const { requests, output, units } = await runAdapter('ocr/financial_parser/affinda', INPUT, { files: FILES, params })
  assert.deepEqual(linesOf(requests), ['POST /documents', 'DELETE /documents/wvJwuXgK'])
  assert.deepEqual(await formOf(requests), {
    wait: 'true',
    collection: 'the-affinda-invoice-collection',
    file: 'bill.pdf',
  })
  assert.equal(requests[1]?.headers.authorization, `Bearer ${CREDENTIAL}`)
  const iban = 'IE29AIBK93115212345678'
  assert.deepEqual(fieldsOf(output, ...BILL), ['Paper & Sons', 123, 23, '2030-01-31', iban, 'Paper, A4', 100])
  assert.deepEqual([fieldsOf(output, 'local.currency_code'), units], [['EUR'], 2])
  const waited = await runAdapter('ocr/identity_parser/affinda', INPUT)
  assert.equal((await formOf(waited.requests)).collection, 'the-affinda-identity-collection')
  const path = '/documents/wvJwuXgK'
  assert.deepEqual(linesOf(waited.requests), ['POST /documents', `GET ${path}`, `DELETE ${path}`])
  assert.deepEqual(fieldsOf(waited.output, 'last_name.value', 'given_names.1.value', 'document_type.value'), [
    'MARTIN',
    'Gaëlle',
    'Passport',
  ])
})

test('affinda: what it cannot do is told, and an id that leads elsewhere is not followed', async () => {
  const meta = { identifier: 'wvJwuXgK', ready: false, failed: true }
  const body = { data: null, meta, error: { errorCode: 'no_text_found', errorDetail: 'No text found' } }
  const failure = await failureOfAdapter('ocr/resume_parser/affinda', INPUT, refusalAnswer(200, body))
  assert.deepEqual([failure.status, failure.code, failure.message], [422, 'no_text_found', 'No text found'])
  const elsewhere = { data: {}, meta: { identifier: '../workspaces/1', ready: true } }
  assert.equal(
    (await failureOfAdapter('ocr/resume_parser/affinda', INPUT, refusalAnswer(200, elsewhere))).kind,
    'garbage',
  )
})

test('affinda: its workspace decides what a document is, and receipts have names of their own', async () => {
  const total = { raw: '168,95', parsed: '168.95', confidence: 0.9 }
  const cells = { itemDescription: { raw: 'NUTELLA', parsed: 'NUTELLA' }, itemTotal: { raw: '19,40', parsed: '19.40' } }
  const data = {
    date: { raw: '02.04.2022', parsed: '2022-04-02' },
    time: { raw: '12:29', parsed: '12:29' },
    receiptCurrencyCode: { raw: null, parsed: { id: 1, label: 'RON', value: 'RON' } },
    supplierAddress: { raw: 'Brasov', parsed: { city: 'Brasov', country: 'Romania', countryCode: 'RO' } },
    paymentAmountTotal: total,
    lineItemTable: [{ parsed: { rows: [{ parsed: cells }] } }],
    lineItemTableOld: null,
  }
  const meta = { identifier: 'a1', ready: true, pages: [{}] }
  const body = { data, meta, extractor: 'receipt' }
  const input = { document_type: 'auto-detect' }
  const { requests, output } = await runAdapter(
    'ocr/financial_parser/affinda',
    input,
    { files: FILES },
    refusalAnswer(201, body),
  )
  assert.equal((await formOf(requests)).workspace, 'the-affinda-workspace')
  const paths = ['payment_information.total', 'financial_document_information.invoice_date', 'local.currency_code']
  assert.deepEqual(fieldsOf(output, ...paths), [168.95, '2022-04-02', 'RON'])
  const others = ['merchant_information.country_code', 'item_lines.0.amount_line', 'document_metadata.document_type']
  assert.deepEqual(fieldsOf(output, ...others), ['RO', 19.4, 'receipt'])
})

test('affinda reads a curriculum vitae', async () => {
  const { output, units } = await runAdapter('ocr/resume_parser/affinda', INPUT)
  const data = valueAt(output, 'extracted_data')
  assert.deepEqual(valueAt(data, 'personal_infos', 'mails'), ['ada@mail.example'])
  assert.equal(valueAt(data, 'work_experience', 'entries', 0, 'location', 'country_code'), 'GB')
  assert.deepEqual(valueAt(data, 'skills'), [
    { name: 'TypeScript', type: 'Specialized Skill' },
    { name: 'Writing', type: 'Soft Skill' },
  ])
  assert.deepEqual([valueAt(data, 'work_experience', 'total_years_experience'), units], ['8', 1])
  const [school] = listAt(data, 'education', 'entries')
  const [job] = listAt(data, 'work_experience', 'entries')
  assert.deepEqual(
    [valueAt(data, 'personal_infos', 'name', 'last_name'), valueAt(school, 'end_date'), valueAt(job, 'title')],
    ['Byron', '2016-06-30', 'Software engineer'],
  )
  assert.deepEqual(valueAt(data, 'languages'), [
    { name: 'English', code: 'en' },
    { name: 'French', code: 'fr' },
  ])
})

test('klippa: cents become amounts, and what is empty is unknown', async () => {
  const { requests, output, units } = await runAdapter('ocr/financial_parser/klippa', INPUT, { files: FILES })
  assert.deepEqual(linesOf(requests), ['POST /parseDocument'])
  assert.deepEqual(await formOf(requests), { pdf_text_extraction: 'full', document: 'bill.pdf' })
  assert.deepEqual(fieldsOf(output, ...BILL), ['Auchan', 168.95, 24.52, '2022-04-02', null, 'PATE DE PORC', 7.1])
  assert.deepEqual(fieldsOf(output, 'item_lines.0.tax_rate', 'item_lines.0.discount_amount'), [9, null])
  assert.deepEqual(fieldsOf(output, 'financial_document_information.barcodes.0.value'), ['9138579073918'])
  assert.equal(units, 1)
  const { requests: identity, output: card } = await runAdapter('ocr/identity_parser/klippa', INPUT)
  assert.deepEqual(linesOf(identity), ['POST /parseDocument/identity'])
  assert.deepEqual(fieldsOf(card, 'birth_date.value', 'address.value'), [
    '1990-07-13',
    '12 Rue du Bac, 75007 Paris, France',
  ])
  assert.equal(listAt(card, 'extracted_data', 0, 'image_id').length, 1)
  const { requests: paper, output: resume } = await runAdapter('ocr/resume_parser/klippa', INPUT)
  assert.deepEqual(linesOf(paper), ['POST /parseDocument/resume'])
  assert.deepEqual(valueAt(resume, 'extracted_data', 'personal_infos', 'phones'), [])
  assert.equal(valueAt(resume, 'extracted_data', 'education', 'entries', 0, 'location'), null)
})

test('veryfi: the secret is made of three', async () => {
  const { requests, output, units } = await runAdapter('ocr/financial_parser/veryfi', INPUT, { files: FILES })
  assert.deepEqual(linesOf(requests), ['POST /documents'])
  assert.deepEqual(await formOf(requests), { file_name: 'bill.pdf', file: 'bill.pdf' })
  assert.equal(requests[0]?.headers['client-id'], 'user-of-test')
  assert.equal(requests[0]?.headers.authorization, 'apikey key-of-test:')
  const iban = 'IE29AIBK93115212345678'
  assert.deepEqual(fieldsOf(output, ...BILL), ['Paper & Sons', 123, 23, '2030-01-31', iban, 'Paper, A4', 100])
  assert.deepEqual([fieldsOf(output, 'financial_document_information.time'), units], [[null], 1])
  const refused = await failureOfAdapter(
    'ocr/financial_parser/veryfi',
    INPUT,
    refusalAnswer(400, { status: 'fail', error: 'Bad file' }),
  )
  assert.deepEqual([refused.kind, refused.message], ['bad_request', 'Bad file'])
})

test('eagledoc: a path for each kind of document, and taxes of several rates', async () => {
  const paths: [string | undefined, string][] = [
    [undefined, '/invoice/v1/processing'],
    ['receipt', '/receipt/v3/processing'],
    ['auto-detect', '/finance/v1/processing'],
  ]
  for (const [document_type, path] of paths) {
    const { requests, output, units } = await runAdapter('ocr/financial_parser/eagledoc', { ...INPUT, document_type })
    assert.deepEqual([linesOf(requests), await formOf(requests)], [[`POST ${path}`], { file: 'a.png' }])
    const iban = 'IE29AIBK93115212345678'
    assert.deepEqual(fieldsOf(output, ...BILL), ['Paper & Sons', 123, 23, '2030-01-31', iban, 'Paper, A4', 100])
    assert.deepEqual(fieldsOf(output, 'merchant_information.address'), ['Mill Lane, 1, T12, Cork, IE'])
    assert.equal(units, 2)
  }
})

test('base64: the file is a data URL, and lines are numbered in the names of fields', async () => {
  const { requests, output, units } = await runAdapter('ocr/financial_parser/base64', INPUT, { files: FILES })
  const document = `data:application/pdf;base64,${Buffer.from('content').toString('base64')}`
  assert.deepEqual(
    [linesOf(requests), jsonOf(requests)],
    [['POST /scan'], { modelTypes: ['finance/invoice'], document }],
  )
  assert.equal(requests[0]?.headers.authorization, 'ApiKey user-of-test:key-of-test')
  assert.deepEqual(fieldsOf(output, ...BILL), ['Paper & Sons', 1123, 23, '2030-01-31', null, 'Paper, A4', 1100])
  assert.deepEqual(fieldsOf(output, 'item_lines.1.description', 'document_metadata.document_page_number'), [
    'Stapler',
    1,
  ])
  assert.equal(units, 1)
  const { output: card } = await runAdapter('ocr/identity_parser/base64', INPUT)
  assert.deepEqual(fieldsOf(card, 'age.value', 'given_names.1.value', 'image_id.0.confidence'), ['39', 'Gaëlle', 0.99])
  const refused = await failureOfAdapter('ocr/identity_parser/base64', INPUT, refusalAnswer(403, { message: 'No' }))
  assert.equal(refused.kind, 'auth')
})

test('an answer that is no document is garbage', async () => {
  for (const address of [
    'ocr/financial_parser/mindee',
    'ocr/financial_parser/affinda',
    'ocr/financial_parser/klippa',
    'ocr/financial_parser/veryfi',
    'ocr/financial_parser/eagledoc',
    'ocr/financial_parser/base64',
  ])
    for (const json of ['<html>', 'null', '7'])
      assert.equal(
        (await failureOfAdapter(address, INPUT, { status: 200, headers: JSON_TYPE, json })).kind,
        'garbage',
        address,
      )
})

const USA = { name: 'United States', alpha2: 'us', alpha3: 'usa' }
const ZONE = 'P<USATRAVELER<<HAPPY'

/** Identity documents of every provider, which name the country in different ways. */
const COUNTRIES: [provider: string, answer: object, country: object][] = [
  [
    'affinda',
    { data: { issuingCode: { raw: 'USA', parsed: 'USA', confidence: 0.9 } }, meta: { identifier: 'a', ready: true } },
    { ...USA, confidence: 0.9 },
  ],
  ['amazon', identityOf(['MRZ_CODE', ZONE]), { ...USA, confidence: 0.98 }],
  ['amazon', identityOf(['STATE_NAME', 'MASSACHUSETTS']), { ...USA, confidence: 0.98 }],
  [
    'base64',
    [{ model: {}, fields: { country: { value: 'United States', confidence: 0.8 } } }],
    { ...USA, confidence: 0.8 },
  ],
  [
    'google',
    { document: { entities: [{ type: 'MRZ Code', mentionText: ZONE, confidence: 0.7 }] } },
    { ...USA, confidence: 0.7 },
  ],
  [
    'klippa',
    { data: { parsed: { issuing_country: { value: 'US', confidence: 0.95 } } } },
    { ...USA, confidence: 0.95 },
  ],
]

for (const [provider, answer, country] of COUNTRIES) {
  test(`${provider}: a country has its name and both codes (${JSON.stringify(answer).slice(0, 60)})`, async () => {
    const { output } = await runAdapter(`ocr/identity_parser/${provider}`, INPUT, {}, refusalAnswer(200, answer))
    assert.deepEqual(fieldsOf(output, 'country'), [country])
  })
}

function identityOf(...fields: [type: string, text: string][]): object {
  const read = fields.map(([type, Text]) => ({ Type: { Text: type }, ValueDetection: { Text, Confidence: 98 } }))
  return { IdentityDocuments: [{ IdentityDocumentFields: read }] }
}

test('tabscanner: a file is handed in and asked for, and an amount that was not found is unknown', async () => {
  const address = 'ocr/financial_parser/tabscanner'
  const params = { documentType: 'mine', region: 'ie' }
  const { requests, output, units } = await runAdapter(address, { ...INPUT, document_type: 'auto-detect' }, { params })
  assert.deepEqual(linesOf(requests), ['POST /api/2/process', 'GET /api/result/Tk4hJ2vWq0bR9sXy'])
  assert.deepEqual(await formOf(requests), { documentType: 'auto', region: 'ie', file: 'a.png' })
  const paid = ['total', 'total_tax', 'amount_tip', 'amount_change', 'amount_paid', 'payment_method']
  assert.deepEqual(fieldsOf(output, ...paid.map((field) => `payment_information.${field}`)), [
    123,
    23,
    null,
    0,
    null,
    'Card',
  ])
  const paper = ['merchant_information.name', 'merchant_information.city', 'financial_document_information.time']
  assert.deepEqual(fieldsOf(output, ...paper), ['Paper & Sons', 'Galway', '14:05:00'])
  const lines = listAt(output, 'extracted_data', 0, 'item_lines')
  assert.deepEqual(
    lines.map((line) => [valueAt(line, 'description'), valueAt(line, 'quantity'), valueAt(line, 'unit_price')]),
    [
      ['Paper, A4', 20, 5],
      ['Delivery', null, null],
    ],
  )
  assert.equal(units, 1)
})

test('tabscanner: what goes wrong may come with status 200, also with the result', async () => {
  const address = 'ocr/financial_parser/tabscanner'
  const taken = { success: true, code: 200, token: 'a1' }
  const rows: [answer: object, kind: string][] = [
    [{ success: false, code: 400, message: 'no key' }, 'auth'],
    [{ success: false, code: 404, message: 'two files' }, 'bad_request'],
    [{ success: false, code: 510, message: 'broken' }, 'server_error'],
    [{ success: true, code: 200 }, 'garbage'],
    [{ ...taken, token: '../other' }, 'garbage'],
    [{ ...taken, status: 'failed' }, 'context_length'],
    [{ ...taken, status: 'done' }, 'garbage'],
  ]
  for (const [answer, kind] of rows) {
    const failure = await failureOfAdapter(address, INPUT, refusalAnswer(200, answer))
    assert.equal(failure.kind, kind, JSON.stringify(answer))
  }
})
