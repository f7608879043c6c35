import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { HEAD_BYTES } from './head-bytes.ts'
import * as files from './fixtures/small-files.ts'
import { imageSize } from './image-size.ts'
import { sample } from '../../../test/soak/sample.ts'

const MAKERS: Record<string, (width: number, height: number) => Buffer> = {
  png: files.png,
  jpeg: files.jpeg,
  'jpeg, progressive': (width, height) => files.jpeg(width, height, { frame: 0xc2 }),
  'jpeg behind other segments': (width, height) =>
    files.jpeg(width, height, { before: Buffer.concat([files.segment(0xe1, Buffer.alloc(5_000)), files.bytes(0xff)]) }),
  gif: files.gif,
  bmp: files.bmp,
  'bmp from top to bottom': (width, height) => files.bmp(width, -height),
  'bmp of OS/2': files.oldBmp,
  'webp, lossy': files.webp.lossy,
  'webp, lossless': files.webp.lossless,
  'webp, extended': files.webp.extended,
  'tiff, Intel': files.tiff,
  'tiff, Motorola': (width, height) => files.tiff(width, height, false),
}

describe('width and height from the header', () => {
  for (const [name, make] of Object.entries(MAKERS))
    test(name, () => {
      assert.deepEqual(imageSize(make(1920, 1080)), { width: 1920, height: 1080 })
      assert.deepEqual(imageSize(make(1, 16_383)), { width: 1, height: 16_383 })
    })
})

describe('images that claim to be huge cost nothing', () => {
  test('64,250 x 64,250 in a jpeg', () =>
    assert.deepEqual(imageSize(files.jpeg(64_250, 64_250)), { width: 64_250, height: 64_250 }))
  test('four thousand million squared in a png', () =>
    assert.deepEqual(imageSize(files.png(0xffffffff, 0xffffffff)), { width: 0xffffffff, height: 0xffffffff }))
})

describe('null', () => {
  const NONE: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['no picture', Buffer.from('text')],
    ['a kind whose header we do not read', files.ftyp('heic')],
    ['a header that is cut', files.png().subarray(0, 20)],
    ['no width', files.png(0, 5)],
    ['a jpeg without a frame', Buffer.concat([files.bytes(0xff, 0xd8), files.segment(0xda, Buffer.alloc(5))])],
    ['a jpeg of segments without length', Buffer.from('ffd8ffe00000ffe00000', 'hex')],
    [
      'a jpeg whose frame is past the head',
      files.jpeg(3, 2, { before: Buffer.concat([big(), big()]) }).subarray(0, HEAD_BYTES),
    ],
    ['a tiff whose tags are elsewhere', Buffer.from('49492a00ffffff7f', 'hex')],
    ['a big tiff', Buffer.from('49492b0008000000', 'hex')],
    ['a webp of a kind to come', Buffer.from('RIFF\x10\0\0\0WEBPVP9X\0\0\0\0\0\0\0\0', 'latin1')],
  ]
  for (const [name, file] of NONE) test(name, () => assert.equal(imageSize(file), null))
})

test('no bytes make it stumble', () => {
  const images = Object.values(MAKERS).map((make) => make(40, 30))
  const damaged = fc.record({ file: fc.constantFrom(...images), cut: fc.nat(200), at: fc.nat(200), to: fc.nat(255) })
  fc.assert(
    fc.property(damaged, ({ file, cut, at, to }) => {
      const copy = Buffer.from(file.subarray(0, cut))
      if (at < copy.length) copy[at] = to
      const size = imageSize(copy)
      assert.ok(size === null || (size.width > 0 && size.height > 0))
    }),
    { numRuns: sample(250, 2_000) },
  )
})

function big(): Buffer {
  return files.segment(0xe2, Buffer.alloc(60_000))
}
