import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runEngine } from '../../../engines/fixtures/one-pool.ts'
import { pdfSaying } from '../../../engines/fixtures/pdf-saying.ts'
import { readPdf } from '../../../engines/pdf/pdf.ts'
import { fileOf, performed, taskOf, toolsAnswering } from '../../http/fixtures/recording.ts'
import { refused } from '../../http/fixtures/failure-of.ts'
import { valueAt } from '../../results/loose-fields.ts'
import bills from '../../ocr/financial_parser/amazon.ts'
import identities from '../../ocr/identity_parser/amazon.ts'
import read from '../../ocr/ocr/amazon.ts'
import readLong from '../../ocr/ocr_async/amazon.ts'
import tables from '../../ocr/ocr_tables_async/amazon.ts'
import { JSON_TYPE, jsonOf, runAdapter, refusalAnswer } from '../fixtures/run-adapter.ts'

const SAYING = pdfSaying(['one'], ['two'], ['three'])

test('the parties of an expense: fields are grouped by whose they are', async () => {
  const SummaryFields = [
    grouped('ADDRESS', 'Harbour Books\n4 Quay Street', 'RECEIVER_BILL_TO', 'RECEIVER'),
    grouped('NAME', 'Harbour Books', 'RECEIVER_BILL_TO'),
    grouped('CITY', 'Galway', 'RECEIVER_BILL_TO'),
    grouped('NAME', 'Harbour Stores', 'RECEIVER_SHIP_TO'),
    grouped('ADDRESS_BLOCK', '9 Dock Road', 'RECEIVER_SHIP_TO'),
    grouped('CITY', 'Limerick', 'RECEIVER_SHIP_TO'),
    grouped('NAME', 'Paper & Sons', 'VENDOR'),
    grouped('ADDRESS', '1 Mill Lane', 'VENDOR'),
    grouped('ZIP_CODE', 'T12', 'VENDOR'),
    grouped('STATE', 'Cork', 'VENDOR'),
    grouped('NAME', 'Paper Bank', 'VENDOR_REMIT_TO'),
    grouped('ADDRESS', '2 Bank Street', 'VENDOR_REMIT_TO'),
    { Type: { Text: 'TOTAL' }, ValueDetection: { Text: '$5.00' } },
  ]
  const { output } = await runAdapter(
    'ocr/financial_parser/amazon',
    {},
    {},
    refusalAnswer(200, { ExpenseDocuments: [{ SummaryFields }] }),
  )
  const { customer_information: customer, merchant_information: merchant } = documentsIn(output)[0] as Record<
    string,
    object
  >
  assert.partialDeepStrictEqual(customer, {
    name: 'Harbour Books',
    billing_address: 'Harbour Books 4 Quay Street',
    city: 'Galway',
    shipping_address: '9 Dock Road',
    remit_to_name: 'Paper Bank',
    remittance_address: '2 Bank Street',
  })
  const seller = { name: 'Paper & Sons', address: '1 Mill Lane', zip_code: 'T12', province: 'Cork' }
  assert.partialDeepStrictEqual(merchant, seller)
})

test('only a ship-to: its name is the customer, and its city is not the city of a billing address', async () => {
  const SummaryFields = [grouped('NAME', 'Ada', 'RECEIVER_SHIP_TO'), grouped('CITY', 'Limerick', 'RECEIVER_SHIP_TO')]
  const { output } = await runAdapter(
    'ocr/financial_parser/amazon',
    {},
    {},
    refusalAnswer(200, { ExpenseDocuments: [{ SummaryFields }] }),
  )
  const customer = valueAt(documentsIn(output)[0], 'customer_information')
  assert.partialDeepStrictEqual(customer as object, { name: 'Ada', city: null, billing_address: null })
})

test('merged cells: one cell with its spans and its whole text', async () => {
  const Blocks = [
    block('TABLE', 't', { Page: 2 }, { CHILD: ['a', 'b', 'c', 'd'], MERGED_CELL: ['m'] }),
    cell('a', 1, 1, ['w1'], { EntityTypes: ['COLUMN_HEADER'] }),
    cell('b', 1, 2, ['w2'], { EntityTypes: ['COLUMN_HEADER'] }),
    cell('c', 2, 1, ['w3']),
    cell('d', 2, 2, []),
    block(
      'MERGED_CELL',
      'm',
      { RowIndex: 1, ColumnIndex: 1, RowSpan: 1, ColumnSpan: 2, Confidence: 80 },
      { CHILD: ['a', 'b'] },
    ),
    ...['Prices', '2030', 'Lamp'].map((Text, index) => block('WORD', `w${index + 1}`, { Text, Page: 2 })),
  ]
  const [, page] = (await later(tables, Blocks, 3)).output.pages
  assert.equal((await later(tables, Blocks, 3)).output.pages.length, 3)
  const [table] = page!.tables
  assert.deepEqual([table!.num_rows, table!.num_cols], [2, 2])
  const shown = table!.rows.map(({ cells }) =>
    cells.map((one) => [one.text, one.col_index, one.col_span, one.is_header]),
  )
  assert.deepEqual(shown, [
    [['Prices 2030', 1, 2, true]],
    [
      ['Lamp', 1, 1, false],
      [null, 2, 1, false],
    ],
  ])
  assert.equal(table!.rows[0]!.cells[0]!.confidence, 0.8)
})

test('a page without text is still a page', async () => {
  const { output } = await later(readLong, [block('LINE', 'l', { Text: 'two', Page: 2 })], 3)
  assert.deepEqual(
    output.pages.map(({ lines }) => lines.map(({ text }) => text)),
    [[], ['two'], []],
  )
})

test('documents of several pages are read page by page, without a bucket', async () => {
  const answers = ['one', 'two', 'three'].map((Text) => refusalAnswer(200, { Blocks: [block('LINE', 'l', { Text })] }))
  const { tools, requests } = splitting({ answers })
  const { output, units, original } = await performed(read, taskOf({}, { files: { file: pages(3) } }), tools)
  assert.deepEqual([valueAt(output, 'text'), units], ['one\ntwo\nthree', 3])
  assert.equal((original as unknown[]).length, 3)
  assert.deepEqual(await Promise.all(requests.map((_, index) => said(valueAt(jsonOf(requests, index), 'Document')))), [
    ['one'],
    ['two'],
    ['three'],
  ])
})

test('an expense of several pages: one entry per page', async () => {
  const answers = ['$1.00', '$2.00'].map((total) => {
    const SummaryFields = [{ Type: { Text: 'TOTAL' }, ValueDetection: { Text: total }, PageNumber: 1 }]
    return refusalAnswer(200, { ExpenseDocuments: [{ ExpenseIndex: 1, SummaryFields }] })
  })
  const { output } = await performed(bills, taskOf({}, { files: { file: pages(2) } }), splitting({ answers }).tools)
  const found = documentsIn(output).map((one) => [
    valueAt(one, 'payment_information', 'total'),
    valueAt(one, 'document_metadata', 'document_index'),
    valueAt(one, 'document_metadata', 'document_page_number'),
  ])
  assert.deepEqual(found, [
    [1, 1, 1],
    [2, 2, 2],
  ])
})

test('both sides of an identity card go into one request; a third side is refused before it', async () => {
  const { tools, requests } = splitting({
    answers: [{ status: 200, headers: JSON_TYPE, json: { IdentityDocuments: [] } }],
  })
  await performed(identities, taskOf({}, { files: { file: pages(2) } }), tools)
  assert.equal(requests.length, 1)
  const sides = valueAt(jsonOf(requests), 'DocumentPages') as object[]
  assert.deepEqual(await Promise.all(sides.map(said)), [['one'], ['two']])
  await refused(performed(identities, taskOf({}, { files: { file: pages(3) } }), tools), 422, 'too_many_pages')
})

function grouped(type: string, Text: string, ...Types: string[]) {
  return { Type: { Text: type }, ValueDetection: { Text }, GroupProperties: [{ Types, Id: 'g' }] }
}

function documentsIn(output: unknown): unknown[] {
  return valueAt(output, 'extracted_data') as unknown[]
}

function block(BlockType: string, Id: string, more: object = {}, parts: Record<string, string[]> = {}) {
  const Relationships = Object.entries(parts).map(([Type, Ids]) => ({ Type, Ids }))
  return { BlockType, Id, ...more, Relationships }
}

function cell(Id: string, RowIndex: number, ColumnIndex: number, words: string[], more: object = {}) {
  return block('CELL', Id, { RowIndex, ColumnIndex, RowSpan: 1, ColumnSpan: 1, ...more }, { CHILD: words })
}

/** What a job of Textract found in a document of some pages. */
async function later<A extends typeof tables | typeof readLong>(adapter: A, Blocks: object[], count: number) {
  const done = { JobStatus: 'SUCCEEDED', DocumentMetadata: { Pages: count }, Blocks }
  const { tools } = toolsAnswering({ answers: [{}, { JobId: 'j' }, done].map((json) => refusalAnswer(200, json)) })
  const result = await performed(adapter, taskOf({}, { files: { file: pages(3) } }), tools)
  return result as Exclude<Awaited<ReturnType<A['poll']>>, 'pending'>
}

function pages(count: number) {
  return { ...fileOf('a.pdf', 'application/pdf', SAYING), pages: count }
}

/** Tools with the real engines, of which one splits documents. */
function splitting(recording: Parameters<typeof toolsAnswering>[0]) {
  const { tools, requests } = toolsAnswering(recording)
  return { tools: { ...tools, engine: runEngine }, requests }
}

async function said(document: unknown): Promise<string[]> {
  const bytes = Buffer.from(String(valueAt(document, 'Bytes')), 'base64')
  return (await readPdf({ bytes })).pages.flatMap(({ lines }) => lines.map(({ text }) => text))
}
