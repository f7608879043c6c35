import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { GrowingBytes } from './growing-bytes.ts'

const PIECE = fc.oneof(fc.uint8Array({ maxLength: 5 }), fc.nat({ max: 20_000 }).map(numbered))
const STEP = fc.record({ piece: PIECE, taken: fc.oneof(fc.constant(0), fc.nat({ max: 30_000 })) })

test('bytes leave in order, and bytes that were taken never change', () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 40 }), (steps) => {
      const growing = new GrowingBytes()
      const left: { bytes: Buffer; copy: Buffer }[] = []
      for (const { piece, taken } of steps) {
        if (growing.length === 0) growing.hold(piece)
        else growing.append(piece)
        const bytes = growing.take(Math.min(taken, growing.length))
        left.push({ bytes, copy: Buffer.from(bytes) })
      }
      left.push({ bytes: growing.bytes, copy: Buffer.from(growing.take()) })
      assert.ok(left.every(({ bytes, copy }) => bytes.equals(copy)))
      assert.ok(Buffer.concat(left.map(({ bytes }) => bytes)).equals(Buffer.concat(steps.map(({ piece }) => piece))))
      assert.deepEqual([growing.length, growing.bytes.length], [0, 0])
    }),
  )
})

test('a held piece is neither copied nor written to', () => {
  const growing = new GrowingBytes()
  const whole = Buffer.from('abcdef')
  const piece = whole.subarray(0, 3)
  growing.hold(piece)
  assert.equal(growing.bytes.buffer, whole.buffer)
  growing.append(Buffer.from('x'))
  assert.deepEqual([String(growing.bytes), String(whole)], ['abcx', 'abcdef'])
})

test('a hundred thousand single bytes are moved to larger memory only a few times', () => {
  const growing = new GrowingBytes()
  const capacities = new Set<number>()
  for (let added = 0; added < 100_000; added++) {
    growing.append(Buffer.from([added % 251]))
    capacities.add(growing.capacity)
  }
  assert.ok(capacities.size < 12, `${capacities.size} times`)
  assert.ok(growing.bytes.equals(numbered(100_000)))
})

test('memory of a chosen size takes over the content, and is not exceeded while everything fits', () => {
  const growing = new GrowingBytes()
  growing.append(Buffer.from('ab'))
  growing.take(1)
  growing.moveTo(Buffer.alloc(5))
  growing.append(Buffer.from('cdef'))
  assert.deepEqual([growing.capacity, String(growing.bytes)], [5, 'bcdef'])
})

function numbered(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => index % 251)
}

test('texts are appended in UTF-8, also if every unit takes three bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant('€'.repeat(900)))), (texts) => {
      const growing = new GrowingBytes()
      for (const text of texts) growing.appendText(text)
      assert.equal(String(growing.take()), texts.join(''))
    }),
  )
})
