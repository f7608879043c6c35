import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import type { ReadPage } from '../contract/engines.ts'
import { pdfScanned, type Scan } from './fixtures/pdf-scanned.ts'
import { SIGN } from './fixtures/pictures.ts'
import { readScan } from './scan.ts'

const WORDS = 'MIND THE GAP\nClosed today'
/** The sign, as wide as the page but for 50 points to each side. */
const PLACED = 'q 512 0 0 179.2 50 500 cm /S0 Do Q'

describe('pages that are pictures', () => {
  let [width, height] = [0, 0]
  let grey: Buffer
  before(async () => {
    const plain = sharp(SIGN).flatten({ background: '#fff' }).resize({ width: 320 }).toColourspace('b-w').raw()
    const { data, info } = await plain.toBuffer({ resolveWithObject: true })
    ;({ width, height } = info)
    grey = data
  })

  test('packed as a photograph: the words, and where they stand on the page', async () => {
    const jpeg = await sharp(grey, { raw: { width, height, channels: 1 } })
      .jpeg()
      .toBuffer()
    const page = await read([{ ...whole(), dictionary: `${GREY}/Filter/DCTDecode`, bytes: jpeg }], PLACED)
    assert.equal(textOf(page), WORDS)
    const [first] = page.lines[0]!.words
    assert.equal(first!.text, 'MIND')
    near(first!.box.left, (50 + 0.056 * 512) / 612)
    near(first!.box.top, (792 - 500 - 179.2 + 0.14 * 179.2) / 792)
  })

  test('cut into strips, which meet in the middle of letters', async () => {
    const cut = 24
    const above = { ...whole(), height: cut, bytes: deflateSync(grey.subarray(0, cut * width)) }
    const below = { ...whole(), height: height - cut, bytes: deflateSync(grey.subarray(cut * width)) }
    const share = (cut / height) * 180
    const painting = `q 512 0 0 ${share} 50 ${680 - share} cm /S0 Do Q q 512 0 0 ${180 - share} 50 500 cm /S1 Do Q`
    assert.equal(textOf(await read([above, below], painting)), WORDS)
  })

  test('laid on its side in a page that is shown turned', async () => {
    assert.equal(textOf(await read([whole()], 'q 0 512 -179.2 0 400 100 cm /S0 Do Q', '/Rotate 90')), WORDS)
  })

  test('as ink through a stencil, over paper that is another picture', async () => {
    const rowBytes = Math.ceil(width / 8)
    const bits = Buffer.alloc(rowBytes * height, 0xff)
    for (const [at, shade] of grey.entries()) {
      if (shade < 128) bits[Math.floor(at / width) * rowBytes + ((at % width) >> 3)]! &= ~(0x80 >> ((at % width) & 7))
    }
    const dictionary = '/ImageMask true/BitsPerComponent 1/Filter/FlateDecode'
    const ink = { ...whole(), dictionary, bytes: deflateSync(bits) }
    const paper = { width: 1, height: 1, dictionary: GREY, bytes: Buffer.from([230]) }
    const painting = `q 612 0 0 792 0 0 cm /S0 Do Q ${PLACED.replace('S0', 'S1')}`
    assert.equal(textOf(await read([paper, ink], painting)), WORDS)
  })

  test('packed as by a fax machine', async () => {
    const plain = await sharp(grey, { raw: { width, height, channels: 1 } })
      .png()
      .toBuffer()
    const black = sharp(plain).toColourspace('b-w').threshold(128)
    const tiff = await black.tiff({ compression: 'ccittfax4', bitdepth: 1 }).toBuffer()
    const parameters = `<</K -1/Columns ${width}/Rows ${height}/BlackIs1 true>>`
    const dictionary = `/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/CCITTFaxDecode/DecodeParms${parameters}`
    assert.equal(textOf(await read([{ ...whole(), dictionary, bytes: stripOf(tiff) }], PLACED)), WORDS)
  })

  test('empty pages are empty; a page that cannot be unpacked is told, and so is a file that is none', async () => {
    assert.deepEqual(await read([], ''), { lines: [] })
    const broken = { ...whole(), dictionary: `${GREY}/Filter/DCTDecode`, bytes: Buffer.from('no picture') }
    await assert.rejects(read([broken], PLACED), { name: 'Unreadable', message: /Page 1 .* damaged/ })
    await assert.rejects(readScan({ bytes: Buffer.from('%PDF-no'), page: 1 }), { name: 'Unreadable' })
  })

  function whole(): Scan {
    return { width, height, dictionary: `${GREY}/Filter/FlateDecode`, bytes: deflateSync(grey) }
  }
})

const GREY = '/ColorSpace/DeviceGray/BitsPerComponent 8'

function read(scans: readonly Scan[], content: string, page?: string): Promise<ReadPage> {
  return readScan({ bytes: pdfScanned(scans, content, page), page: 1 })
}

function textOf({ lines }: ReadPage): string {
  return lines.map(({ text }) => text).join('\n')
}

/** The packed bytes of a small TIFF file, which has them in one piece; its directory tells where and how many. */
function stripOf(tiff: Buffer): Buffer {
  const directory = tiff.readUInt32LE(4)
  const tag = (wanted: number) => {
    for (let at = directory + 2; ; at += 12) if (tiff.readUInt16LE(at) === wanted) return tiff.readUInt32LE(at + 8)
  }
  const [offset, length] = [tag(273), tag(279)]
  return tiff.subarray(offset, offset + length)
}

function near(value: number, expected: number) {
  assert.ok(Math.abs(value - expected) <= 0.01, `${value}, not ${expected}`)
}
