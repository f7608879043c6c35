import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { pdfScanned, type Scan } from '../fixtures/pdf-scanned.ts'
import { SIGN } from '../fixtures/example-images.ts'
import { layOutPage } from './lay-out-page.ts'

type Grey = { width: number; height: number; grey: Uint8Array }

/** The sign, a point for each of its dots. */
const PLACED = 'q 320 0 0 112 50 500 cm /S0 Do Q'

describe('pages that are pictures', () => {
  let [width, height] = [0, 0]
  let grey: Buffer
  before(async () => {
    const plain = sharp(SIGN).flatten({ background: '#fff' }).resize({ width: 320 }).toColourspace('b-w').raw()
    const { data, info } = await plain.toBuffer({ resolveWithObject: true })
    ;({ width, height } = info)
    grey = data
  })

  test('cut into strips, which meet in the middle of letters', async () => {
    const cut = 24
    const above = { ...whole(), height: cut, bytes: deflateSync(grey.subarray(0, cut * width)) }
    const below = { ...whole(), height: height - cut, bytes: deflateSync(grey.subarray(cut * width)) }
    const painting = `q 320 0 0 ${cut} 50 ${612 - cut} cm /S0 Do Q q 320 0 0 ${112 - cut} 50 500 cm /S1 Do Q`
    assertSign(await laidOut([above, below], painting))
  })

  test('laid on its side in a page that is shown turned', async () => {
    assertSign(await laidOut([whole()], 'q 0 320 -112 0 400 100 cm /S0 Do Q', '/Rotate 90'))
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
    assertSign(await laidOut([paper, ink], painting))
  })

  test('packed as by a fax machine', async () => {
    const plain = await sharp(grey, { raw: { width, height, channels: 1 } })
      .png()
      .toBuffer()
    const black = sharp(plain).toColourspace('b-w').threshold(128)
    const tiff = await black.tiff({ compression: 'ccittfax4', bitdepth: 1 }).toBuffer()
    const parameters = `<</K -1/Columns ${width}/Rows ${height}/BlackIs1 true>>`
    const dictionary = `/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/CCITTFaxDecode/DecodeParms${parameters}`
    assertSign(await laidOut([{ ...whole(), dictionary, bytes: stripOf(tiff) }], PLACED))
  })

  test('empty pages are empty; a page that cannot be unpacked is told, and so is a file that is none', async () => {
    assert.equal(await laidOut([], ''), undefined)
    const broken = { ...whole(), dictionary: `${GREY}/Filter/DCTDecode`, bytes: Buffer.from('no picture') }
    await assert.rejects(laidOut([broken], PLACED), { name: 'Unreadable', message: /Page 1 .* damaged/ })
    await assert.rejects(layOutPage({ bytes: Buffer.from('%PDF-no'), page: 1 }), { name: 'Unreadable' })
  })

  /** The sign, and no other ink: pixel by pixel, but for a few at its edges. */
  function assertSign(painted: Grey | undefined) {
    const [found, expected] = [inkOf(painted!), inkOf({ width, height, grey })]
    assert.deepEqual([found.width, found.height], [expected.width, expected.height])
    const wrong = found.ink.filter((isInk, at) => isInk !== expected.ink[at]).length
    assert.ok(wrong < found.ink.length * MAX_WRONG, `${wrong} of ${found.ink.length}`)
  }

  function whole(): Scan {
    return { width, height, dictionary: `${GREY}/Filter/FlateDecode`, bytes: deflateSync(grey) }
  }
})

/** Of the pixels. */
const MAX_WRONG = 0.02
const GREY = '/ColorSpace/DeviceGray/BitsPerComponent 8'

function laidOut(scans: readonly Scan[], content: string, page?: string) {
  return layOutPage({ bytes: pdfScanned(scans, content, page), page: 1 })
}

/** The part of a picture that has ink in it. */
function inkOf({ width, grey }: Grey) {
  let [left, right, top, bottom] = [width, 0, grey.length, 0]
  for (const [at, shade] of grey.entries()) {
    if (shade >= 128) continue
    const [x, y] = [at % width, Math.floor(at / width)]
    ;[left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)]
  }
  const rows = Array.from({ length: bottom - top + 1 }, (_, y) => (top + y) * width)
  const ink = rows.flatMap((row) => Array.from(grey.subarray(row + left, row + right + 1), (shade) => shade < 128))
  return { width: right - left + 1, height: rows.length, ink }
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
