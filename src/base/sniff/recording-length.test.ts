import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostSeconds } from './recording-length.ts'

const MINUTE = 60

/** The header of a wave file, with a chunk of odd length before its format. */
function wave({ format = 1, hertz = 16_000, bytesPerSecond = 32_000 } = {}): Buffer {
  const head = Buffer.alloc(54)
  head.write('RIFF____WAVE', 0, 'latin1')
  head.write('LIST', 12, 'latin1')
  head.writeUInt32LE(1, 16)
  head.write('fmt ', 22, 'latin1')
  head.writeUInt16LE(format, 30)
  head.writeUInt32LE(hertz, 34)
  head.writeUInt32LE(bytesPerSecond, 38)
  head.writeUInt16LE(2, 42)
  return head
}

test('a recording of the slowest codecs is not longer than is assumed', () => {
  const opusBytes = (6_000 / 8) * MINUTE
  assert.ok(mostSeconds(opusBytes, Buffer.from('OggS')) >= MINUTE)
  const amrBytes = 50 * 13 * MINUTE
  assert.ok(mostSeconds(amrBytes, Buffer.from('#!AMR\n')) >= MINUTE)
  assert.ok(mostSeconds(amrBytes) >= MINUTE)
})

test('an MP3 file has at least 8 kbit/s', () => {
  const head = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1'), Buffer.alloc(100)])
  assert.equal(mostSeconds(60_000, head), MINUTE)
})

test('the header of a wave file says how long it is', () => {
  assert.equal(mostSeconds(32_000 * MINUTE, wave()), MINUTE)
  assert.equal(mostSeconds(60_000, wave({ hertz: 1, bytesPerSecond: 32_000 })), 30_000)
  assert.equal(mostSeconds(60_000, wave({ bytesPerSecond: 0 })), 60_000)
  // A codec may be inside, whose rate the header does not tell.
  assert.equal(mostSeconds(60_000, wave({ format: 85 })), 100)
})

test('a header that is cut or never ends is no header', () => {
  for (let length = 0; length < 46; length++) assert.ok(mostSeconds(60_000, wave().subarray(0, length)) >= 1)
  assert.equal(mostSeconds(60_000, Buffer.concat([Buffer.from('RIFF____WAVE'), Buffer.alloc(100_000)])), 100)
})
