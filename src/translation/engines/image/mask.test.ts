import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { MASK, png, pngChunk } from '../../dialects/image-wires/fixtures/image-calls.ts'
import { paintMask } from './mask.ts'
import { readAlpha } from './read-alpha.ts'

const { bytes: MARKED } = MASK as { bytes: Uint8Array }

/** The pixels of a gray picture that was packed in one piece. */
function pixelsIn(bytes: Uint8Array): { width: number; height: number; kind: number; rows: number[] } {
  const file = Buffer.from(bytes)
  const packed = file.subarray(41, 41 + file.readUInt32BE(33))
  return {
    width: file.readUInt32BE(16),
    height: file.readUInt32BE(20),
    kind: file[25]!,
    rows: [...inflateSync(packed)],
  }
}

test('what is transparent becomes white, or black, and nothing in between', () => {
  const gray = { width: 2, height: 1, kind: 0 }
  assert.deepEqual(pixelsIn(painted(MARKED, 'white')), { ...gray, rows: [0, 255, 0] })
  assert.deepEqual(pixelsIn(painted(MARKED, 'black')), { ...gray, rows: [0, 0, 255] })
  const soft = png([3, 1], 4, [0, 9, 127, 9, 128, 9, 1])
  assert.deepEqual(pixelsIn(painted(soft, 'white')).rows, [0, 255, 0, 255])
})

test('every way in which a row may be written is read', () => {
  const rows = [
    ...[0, 10, 20, 30, 40],
    // Against the left: 5, then 5 + 7.
    ...[1, 0, 5, 0, 7],
    // Against above: 5 + 1, 12 + 1.
    ...[2, 0, 1, 0, 1],
    // Against the mean: 3 + 6 / 2 = 6, 10 + (6 + 13) / 2 = 19.
    ...[3, 0, 3, 0, 10],
    // Against the likeliest: 6 + 1 = 7, then above (19) + 2 = 21.
    ...[4, 0, 1, 0, 2],
  ]
  const found = readAlpha(png([2, 5], 4, rows))
  assert.deepEqual([...found!.alpha], [20, 40, 5, 12, 6, 13, 6, 19, 7, 21])
})

test('sixteen bits and palettes have their transparency too', () => {
  assert.deepEqual([...readAlpha(png([1, 1], 4, [0, 1, 2, 200, 4], { bitDepth: 16 }))!.alpha], [200])
  const transparent = pngChunk('tRNS', Buffer.from([0, 128]))
  assert.deepEqual([...readAlpha(png([3, 1], 3, [0, 0, 1, 2], { extraChunks: [transparent] }))!.alpha], [0, 128, 255])
})

test('a mask without transparency is told from one that is laced, broken or too large', () => {
  for (const bytes of [png([1, 1], 0, [0, 255]), png([1, 1], 3, [0, 0]), new Uint8Array([0xff, 0xd8, 0xff])])
    assert.deepEqual(paintMask({ bytes, redrawn: 'white' }), { kind: 'plain', redrawn: 'white' })
  const laced = png([1, 1], 6, [0, 1, 2, 3, 4], { interlace: 1 })
  const broken = png([2, 2], 6, [0, 1, 2, 3, 4])
  const huge = png([60_000, 60_000], 6, [0])
  for (const bytes of [laced, broken, huge])
    assert.deepEqual(paintMask({ bytes, redrawn: 'black' }), { kind: 'unreadable', redrawn: 'black' })
})

test('a file that is cut off or damaged anywhere never throws an unexpected error', () => {
  const bytes = MARKED
  for (let at = 0; at < bytes.length; at++) {
    const damaged = bytes.slice()
    damaged[at]! ^= 0xff
    for (const file of [bytes.slice(0, at), damaged]) {
      const found = readAlpha(file)
      assert.equal(found?.alpha.length, found ? found.width * found.height : undefined)
    }
  }
})

function painted(bytes: Uint8Array, redrawn: 'white' | 'black'): Uint8Array {
  const made = paintMask({ bytes, redrawn })
  assert.ok(made.kind === 'painted')
  return made.bytes
}
