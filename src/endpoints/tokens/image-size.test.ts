import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sizeOfImage, DEFAULT_SIZE } from './image-size.ts'

// Heads of files, by the definitions of their formats.

const SIZE = { width: 640, height: 360 }

test('PNG, GIF, JPEG and the three kinds of WebP', () => {
  const png = Buffer.alloc(33)
  png.write('\x89PNG\r\n\x1a\n', 'latin1')
  png.writeUInt32BE(640, 16)
  png.writeUInt32BE(360, 20)
  const gif = Buffer.alloc(33)
  gif.write('GIF89a')
  gif.writeUInt16LE(640, 6)
  gif.writeUInt16LE(360, 8)
  for (const bytes of [png, gif, jpeg(), ...webps()]) assert.deepEqual(sizeOfImage(bytes.toString('base64')), SIZE)
})

test('what says nothing is taken for a usual one', () => {
  for (const bytes of ['', 'x', '\xff\xd8'.padEnd(40), 'RIFF....WEBPabcd'.padEnd(40), '\x89PNG'.padEnd(40, '\0')])
    assert.deepEqual(sizeOfImage(Buffer.from(bytes, 'latin1').toString('base64')), DEFAULT_SIZE)
})

/** A segment of data, a table, then the frame. */
function jpeg(): Buffer {
  const segment = (marker: number, content: number[]) => [0xff, marker, 0, content.length + 2, ...content]
  const frame = [8, 360 >> 8, 360 & 255, 640 >> 8, 640 & 255, 3, 1, 0x22, 0]
  const data = Array.from({ length: 60 }, () => 0xc0)
  return Buffer.from([0xff, 0xd8, ...segment(0xe1, data), ...segment(0xc4, [1, 2]), ...segment(0xc2, frame)])
}

function webps(): Buffer[] {
  const [lossy, lossless, extended] = ['VP8 ', 'VP8L', 'VP8X'].map((kind) => {
    const bytes = Buffer.alloc(40)
    bytes.write(`RIFF....WEBP${kind}`)
    return bytes
  }) as [Buffer, Buffer, Buffer]
  lossy.writeUInt16LE(640, 26)
  lossy.writeUInt16LE(360, 28)
  lossless.writeUInt32LE(639 | (359 << 14), 21)
  extended.writeUIntLE(639, 24, 3)
  extended.writeUIntLE(359, 27, 3)
  return [lossy, lossless, extended]
}
