import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Recording, recordingOf } from '../http/fixtures/recording.ts'
import { failureOfAdapter, formOf, linesOf, runAdapter, refusalAnswer } from './fixtures/run-adapter.ts'
import { FILES, INPUT, fieldsOf, BILL } from './fixtures/documents.ts'

test('mindee: a document is queued for a model of the operator, waited for and fetched; pages are what is paid for', async () => {
  const { requests, output, units } = await runAdapter('ocr/financial_parser/mindee', INPUT, { files: FILES })
  const job = 'b0c7f7a1-6d6e-4a53-9a0e-2f0f5b0c1d11'
  assert.deepEqual(linesOf(requests), [
    'POST /products/extraction/enqueue',
    `GET /jobs/${job}?redirect=false`,
    'GET /products/extraction/results/5f0e3c52-0a1b-4c8d-8f43-7f0d1c2b3a44',
  ])
  assert.deepEqual(await formOf(requests), {
    model_id: 'the-mindee-financial-model',
    filename: 'bill.pdf',
    file: 'bill.pdf',
  })
  const iban = 'IE29AIBK93115212345678'
  assert.deepEqual(fieldsOf(output, ...BILL), ['PAPER & SONS', 123, 23, '2030-01-31', iban, 'Paper, A4', 100])
  assert.deepEqual(
    fieldsOf(output, 'merchant_information.vat_number', 'merchant_information.city', 'payment_information.tax_rate'),
    ['IE1234567T', 'Cork', 23],
  )
  assert.deepEqual(fieldsOf(output, 'document_metadata.document_type', 'customer_information.billing_address'), [
    'invoice',
    '4 Quay Street\nGalway',
  ])
  assert.equal(units, 2)
})

test('mindee: a redirect to the result is a finished job, and a job that failed says why', async () => {
  const { answers } = recordingOf('ocr/identity_parser/mindee') as unknown as { answers: Recording[] }
  const [queued, , result] = answers as [Recording, Recording, Recording]
  const moved = { status: 302, headers: { location: 'https://elsewhere.example/v2/products/extraction/results/abc-1' } }
  const { requests } = await runAdapter(
    'ocr/identity_parser/mindee',
    INPUT,
    { model: 'mine' },
    { answers: [queued, moved, result] },
  )
  assert.deepEqual(linesOf(requests).slice(2), ['GET /products/extraction/results/abc-1'])
  assert.equal((await formOf(requests)).model_id, 'mine')
  const error = { code: '422-004', detail: 'The file is damaged.' }
  const broken = refusalAnswer(200, { job: { id: 'j', status: 'Failed', error } })
  const failure = await failureOfAdapter('ocr/identity_parser/mindee', INPUT, broken)
  assert.deepEqual([failure.message, failure.code, failure.status], ['The file is damaged.', '422-004', 422])
})

test('mindee: a passport, with names as people write them and confidence as a number', async () => {
  const { output } = await runAdapter('ocr/identity_parser/mindee', INPUT)
  assert.deepEqual(fieldsOf(output, 'last_name', 'given_names', 'birth_place', 'country'), [
    { value: 'MARTIN', confidence: 1 },
    [
      { value: 'Maëlys-Gaëlle', confidence: 0.75 },
      { value: 'Marie', confidence: 0.75 },
    ],
    { value: 'Paris', confidence: 0.25 },
    { name: 'France', alpha2: 'fr', alpha3: 'fra', confidence: 0.75 },
  ])
  assert.match(String(fieldsOf(output, 'mrz.value')[0]), /^P<FRA.+\nX4RTBPFW46FRA/)
})

test('mindee: an identity card and a driving licence have names of their own for the same fields', async () => {
  const { answers } = recordingOf('ocr/identity_parser/mindee') as unknown as { answers: Recording[] }
  const read = async (fields: object) => {
    const inference = { file: { page_count: 1 }, result: { fields } }
    const result = { ...answers[2]!, json: { inference } } as Recording
    return (await runAdapter('ocr/identity_parser/mindee', INPUT, {}, { answers: [answers[0]!, answers[1]!, result] }))
      .output
  }
  const part = (value: string) => ({ value, confidence: 'High', locations: [] })
  const card = await read({
    surnames: part('MARTIN'),
    document_number: part('D1'),
    date_of_issue: part('2020-02-11'),
    authority: part('Paris'),
    address: { fields: { street: part('1 rue A'), city: part('Paris'), postal_code: part('75001') } },
    mrz: { fields: { line_1: part('I<UTO'), line_2: part('123'), line_3: part('MARTIN') } },
  })
  const shared = ['last_name.value', 'document_id.value', 'issuance_date.value', 'issuing_state.value', 'mrz.value']
  assert.deepEqual(fieldsOf(card, ...shared), ['MARTIN', 'D1', '2020-02-11', 'Paris', 'I<UTO\n123\nMARTIN'])
  assert.match(String(fieldsOf(card, 'address.value')[0]), /1 rue A.*75001/s)
  const licence = await read({
    last_name: part('Martin'),
    document_id: part('L1'),
    issued_date: part('2021-01-01'),
    issuing_authority: part('Nice'),
    mrz: part('D1FRA'),
  })
  assert.deepEqual(fieldsOf(licence, ...shared), ['MARTIN', 'L1', '2021-01-01', 'Nice', 'D1FRA'])
})
