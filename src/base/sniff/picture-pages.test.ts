import assert from 'node:assert/strict'
import { test } from 'node:test'
import { picturePages } from './picture-pages.ts'

/** Directories without entries, one after the other. The last one names `last` as the next. */
function tiff(pages: number, { last = 0 } = {}): Buffer {
  const head = Buffer.from('49492a0008000000', 'hex')
  const directories = Array.from({ length: pages }, (_, index) => {
    const directory = Buffer.alloc(6)
    directory.writeUInt32LE(index === pages - 1 ? last : 8 + 6 * (index + 1), 2)
    return directory
  })
  return Buffer.concat([head, ...directories])
}

function bigTiff(pages: number): Buffer {
  const bytes = Buffer.alloc(16 + 16 * pages)
  bytes.write('4d4d002b00080000', 'hex')
  bytes.writeBigUInt64BE(16n, 8)
  for (let page = 0; page < pages - 1; page++) bytes.writeBigUInt64BE(BigInt(32 + 16 * page), 24 + 16 * page)
  return bytes
}

const SCREEN = Buffer.from('4749463839610100010080000000000000ffffff', 'hex').subarray(0, 19)
const EXTENSION = Buffer.from('21f90400000000', 'hex')
const GIF_FRAME = Buffer.from('2c00000000010001000002024c0100', 'hex')

function gif(frames: number): Buffer {
  return Buffer.concat([
    SCREEN,
    ...Array(frames)
      .fill([EXTENSION, Buffer.from([0]), GIF_FRAME])
      .flat(),
    Buffer.from(';'),
  ])
}

test('counts the pictures of TIFF and GIF files', () => {
  assert.equal(picturePages(tiff(1)), 1)
  assert.equal(picturePages(tiff(300)), 300)
  assert.equal(picturePages(bigTiff(7)), 7)
  assert.equal(picturePages(gif(1)), 1)
  assert.equal(picturePages(gif(12)), 12)
})

test('a file that is damaged, hostile or of another kind has what can be found, and at least one', () => {
  assert.equal(picturePages(tiff(5, { last: 8 })), 5)
  assert.equal(picturePages(tiff(5, { last: 4_000_000_000 })), 5)
  assert.equal(picturePages(tiff(5_000)), 2_000)
  for (const whole of [tiff(3), bigTiff(3), gif(3)])
    for (let length = 0; length < whole.length; length++) assert.ok(picturePages(whole.subarray(0, length)) >= 1)
  assert.equal(picturePages(Buffer.from('\x89PNG and so on', 'latin1')), 1)
})
