import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { sniffType } from '../../../../base/sniff/sniff-type.ts'
import { png } from '../../../../base/sniff/fixtures/small-files.ts'
import { BOATS_XLSX, FERRY_DOCX, PLAN_PPTX } from '../../../engines/fixtures/documents.ts'
import { pdfScanned } from '../../../engines/fixtures/pdf-scanned.ts'
import { pdfSaying } from '../../../engines/fixtures/pdf-saying.ts'
import { EAN_CODE, QR_CODE, SIGN } from '../../../engines/fixtures/example-images.ts'
import { fileOf } from '../../http/fixtures/recording.ts'
import { type Items, pick, run } from '../../fixtures/local.ts'

const LETTER = fileOf('a.pdf', 'application/pdf', pdfSaying(['Hello there', 'Second line'], [], ['Third page']))

describe('the engines that read', () => {
  test('read print in a picture, word by word', async () => {
    const { text, bounding_boxes } = (await run('ocr/ocr', { language: 'en' }, imageOf(SIGN))) as Read
    assert.equal(text, 'MIND THE GAP\nClosed today')
    assert.deepEqual(bounding_boxes.flatMap(pick('text')), ['MIND', 'THE', 'GAP', 'Closed', 'today'])
    near(bounding_boxes[0]!, { left: 0.056, top: 0.14, width: 0.325, height: 0.25 })
    near(bounding_boxes[4]!, { left: 0.43, top: 0.61, width: 0.275, height: 0.34 })
  })

  test('read the text layer of a document, page by page, and guess at nothing', async () => {
    const { raw_text, pages, number_of_pages } = (await run('ocr/ocr_async', {}, LETTER)) as ReadPages
    assert.equal(raw_text, 'Hello there\nSecond line\n\n\n\nThird page')
    assert.deepEqual([number_of_pages, pages.map(({ lines }) => lines.length)], [3, [2, 0, 1]])
    const { words, bounding_box, confidence } = pages[0]!.lines[0]!
    assert.equal(confidence, null)
    near(bounding_box!, { left: 72 / 612, top: 1 - (700 + 19.2) / 792, width: 116 / 612, height: 24 / 792 })
    assert.deepEqual(words.flatMap(pick('text')), ['Hello', 'there'])
  })

  test('read the pages of a document that are pictures, where it has no text of its own', async () => {
    const { raw_text, pages, number_of_pages } = (await run('ocr/ocr_async', {}, await scanned())) as ReadPages
    assert.deepEqual([raw_text, number_of_pages], ['MIND THE GAP\nClosed today', 1])
    const { words, confidence } = pages[0]!.lines[0]!
    assert.ok(confidence! > 0.5)
    const { bounding_box } = words[0] as { bounding_box: Numbers }
    near(bounding_box, { left: (50 + 0.056 * 512) / 612, top: (792 - 500 - 179.2 + 0.14 * 179.2) / 792 })
    const german = run('ocr/ocr', { language: 'de' }, await scanned())
    await assert.rejects(german, { code: 'unsupported_language' })
  })

  test('read documents of office programs, which have no pages before they are laid out', async () => {
    const { raw_text, pages, number_of_pages } = (await run('ocr/ocr_async', {}, officeFile(PLAN_PPTX))) as ReadPages
    assert.match(raw_text, /^Harbour plan\nFirst point\nSecond point\nSay hello first.\n\nPier\tDepth\nA\t4 m$/)
    assert.deepEqual([number_of_pages, pages[1]!.lines[0]!.bounding_box], [2, null])
    const { text, bounding_boxes } = (await run('ocr/ocr', { language: 'fr' }, officeFile(FERRY_DOCX))) as Read
    assert.match(text, /The ferry leaves at nine/)
    assert.deepEqual(bounding_boxes, [])
    const { raw_text: sheets } = (await run('ocr/ocr_async', {}, officeFile(BOATS_XLSX))) as ReadPages
    assert.match(sheets, /North\t2021-05-01\t12\tTRUE/)
  })

  test('read square codes and bar codes, and find none where there are none', async () => {
    const { items } = (await run('image/barcode_detection', {}, imageOf(QR_CODE))) as Items
    assert.deepEqual(items.map(pick('value', 'format')), [['https://example.com/gate', 'QRCode']])
    const { value: _, format: __, ...extent } = items[0]!
    near(extent as Numbers, { x_min: 0.12, x_max: 0.88, y_min: 0.12, y_max: 0.88 })
    const { items: bars } = (await run('image/barcode_detection', {}, imageOf(EAN_CODE))) as Items
    assert.deepEqual(bars.map(pick('value', 'format')), [['4006381333931', 'EAN13']])
    assert.deepEqual(await run('image/barcode_detection', {}, imageOf(SIGN)), { items: [] })
  })

  test('decline what they cannot read, in so many words', async () => {
    const damaged = imageOf(SIGN.slice(0, 600))
    const huge = imageOf(png(30_000, 30_000))
    const empty = fileOf('a.pdf', 'application/pdf', pdfSaying([]))
    const video = fileOf('a.mp4', 'video/mp4', 'film')
    await assert.rejects(run('ocr/ocr', {}, damaged), { code: 'unreadable_input', message: /damaged/ })
    await assert.rejects(run('ocr/ocr', {}, huge), { code: 'unreadable_input', message: /million pixels/ })
    await assert.rejects(run('image/barcode_detection', {}, huge), { code: 'unreadable_input' })
    await assert.rejects(run('ocr/ocr', {}, empty), { code: 'no_text' })
    await assert.rejects(run('ocr/ocr', {}, video), { status: 415 })
    await assert.rejects(run('ocr/ocr', { language: 'ja' }, imageOf(SIGN)), { code: 'unsupported_language' })
    assert.match(((await run('ocr/ocr', { language: 'ja' }, LETTER)) as Read).text, /^Hello/)
  })
})

type Numbers = Record<string, number>
type Read = { text: string; bounding_boxes: Numbers[] }
type Line = { words: object[]; bounding_box: Numbers | null; confidence: number | null }
type ReadPages = { raw_text: string; pages: { lines: Line[] }[]; number_of_pages: number }

function officeFile(bytes: Uint8Array) {
  return fileOf('a', sniffType(bytes), bytes)
}

async function scanned() {
  const jpeg = await sharp(SIGN).flatten({ background: '#fff' }).resize(320).toColourspace('b-w').jpeg().toBuffer()
  const dictionary = '/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode'
  const scan = { width: 320, height: 112, dictionary, bytes: jpeg }
  return fileOf('a.pdf', 'application/pdf', pdfScanned([scan], 'q 512 0 0 179.2 50 500 cm /S0 Do Q'))
}

function imageOf(bytes: Uint8Array) {
  return fileOf('a.png', 'image/png', bytes)
}

/** A hundredth of the picture is near enough for a pixel more or less. */
function near(box: Numbers, expected: Numbers) {
  for (const [side, value] of Object.entries(expected))
    assert.ok(Math.abs(box[side]! - value) <= 0.01, `${side}: ${box[side]}, not ${value}`)
}
