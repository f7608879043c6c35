import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fakes/any-character.ts'
import { packValues, unpackValues } from './packed-values.ts'

const value = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom('\ud83c', '\udfdb', '\0', 'a', '漢') }),
  fc.double(),
  fc.maxSafeInteger(),
  fc.constant(null),
  fc.uint8Array(),
)

test('values come back as they were packed, list by list, after a structured clone', () => {
  fc.assert(
    fc.property(fc.array(fc.array(value)), (lists) => {
      const take = unpackValues(structuredClone(packValues(lists)))
      assert.deepEqual(
        lists.map((list) => take(list.length)),
        lists,
      )
    }),
  )
})

test('a small slice of a large buffer crosses without the rest', () => {
  const packed = packValues([[new Uint8Array(1_000_000).subarray(10, 12)]])
  assert.equal(packed.bytes[0]!.buffer.byteLength, 2)
})
