import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { exifOrientation } from './exif-orientation.ts'
import { runEngine } from '../fixtures/one-pool.ts'
import { QR_CODE, SIGN } from '../fixtures/example-images.ts'
import { openImage, type DecodedImage } from './decoded-image.ts'

/** Of 255, in the mean of all pixels: most formats leave something out. */
const MAX_DIFFERENT = 4
const OWN = { own: ['image/png', 'image/jpeg'], maxPixels: 1_000_000 }

describe('pictures of other kinds', () => {
  test('what an engine opens by itself is not touched', async () => {
    const [image, ...others] = await opened(SIGN, OWN)
    assert.equal(image!.bytes, SIGN)
    assert.deepEqual([image!.size, others], [{ width: 160, height: 56 }, []])
  })

  test('are changed into one that it does open', async () => {
    for (const kind of ['webp', 'gif', 'tiff', 'avif'] as const) {
      const [image] = await opened(await sharp(SIGN).toFormat(kind).toBuffer(), OWN)
      assert.deepEqual(image!.size, { width: 160, height: 56 }, kind)
      assert.deepEqual([...image!.bytes.subarray(1, 4)], [...Buffer.from('PNG')])
      assert.ok(difference(await shadesOf(image!.bytes), await shadesOf(SIGN)) < MAX_DIFFERENT, kind)
    }
  })

  test('print is read in the second page of a TIFF file', async () => {
    const page = await sharp(SIGN).flatten({ background: '#fff' }).toColourspace('srgb').raw().toBuffer()
    const both = { raw: { width: 160, height: 112, channels: 3, pageHeight: 56 } as const }
    const tiff = await sharp(Buffer.concat([Buffer.alloc(page.length, 0xff), page]), both)
      .tiff({ compression: 'jpeg', quality: 95 })
      .toBuffer()
    assert.deepEqual(await read(tiff), ['', 'MIND THE GAP Closed today'])
  })

  test('codes are found in a WebP file', async () => {
    const [found] = await runEngine('barcodes', { bytes: await sharp(QR_CODE).webp({ lossless: true }).toBuffer() })
    assert.equal(found?.text, 'https://example.com/gate')
  })

  test('a photograph is turned as its camera was held, and its size is that of the turned one', async () => {
    const held = await sharp(SIGN).rotate(90).jpeg().withMetadata({ orientation: 8 }).toBuffer()
    assert.deepEqual([exifOrientation(held), exifOrientation(SIGN), exifOrientation(held.subarray(0, 20))], [8, 1, 1])
    const [image] = await opened(held, OWN)
    assert.deepEqual(image!.size, { width: 160, height: 56 })
  })

  test('a large one is made smaller, and keeps its shape', async () => {
    const [image] = await opened(SIGN, { ...OWN, maxPixels: 80 * 28 })
    assert.deepEqual(image!.size, { width: 80, height: 28 })
  })

  test('too many pixels, too many pages, damage: refused', async () => {
    const huge = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#fff' } })
      .avif()
      .toBuffer()
    const at = huge.indexOf('ispe') + 8
    huge.writeUInt32BE(30_000, at)
    huge.writeUInt32BE(30_000, at + 4)
    await assert.rejects(opened(huge, OWN), { name: 'Unreadable', message: /pixels/ })
    const strip = { raw: { width: 1, height: 11, channels: 3, pageHeight: 1 } as const }
    await assert.rejects(opened(await sharp(Buffer.alloc(33), strip).tiff().toBuffer(), OWN), /more than 10 pages/)
    const cut = (await sharp(SIGN).webp().toBuffer()).subarray(0, 200)
    await assert.rejects(opened(cut, OWN), { name: 'Unreadable', message: /damaged/ })
  })
})

async function opened(bytes: Uint8Array, wanted: typeof OWN): Promise<DecodedImage[]> {
  const images: DecodedImage[] = []
  for await (const image of openImage(bytes, wanted)) images.push(image)
  return images
}

function shadesOf(bytes: Uint8Array): Promise<Buffer> {
  return sharp(bytes).flatten({ background: '#fff' }).toColourspace('b-w').raw().toBuffer()
}

function difference(one: Buffer, other: Buffer): number {
  assert.equal(one.length, other.length)
  return one.reduce((sum, shade, at) => sum + Math.abs(shade - other[at]!), 0) / one.length
}

async function read(bytes: Uint8Array): Promise<string[]> {
  const { pages } = await runEngine('image', { bytes })
  return pages.map(({ lines }) => lines.map(({ text }) => text).join(' '))
}
