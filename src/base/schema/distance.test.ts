import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distanceWithin } from './distance.ts'

test('agrees with the plain definition, for every pair of short texts and every limit', () => {
  const texts = [
    '',
    'a',
    'ab',
    'ba',
    'abc',
    'acb',
    'aabb',
    'bbaa',
    'abab',
    'babab',
    'aaaaa',
    'abcabc',
    'bcabca',
    'cabcab',
  ]
  for (const one of texts)
    for (const other of texts)
      for (let max = 1; max <= 7; max++) {
        const distance = plainDistance(one, other)
        assert.equal(distanceWithin(one, other, max), distance > max ? undefined : distance, `${one} ${other} ${max}`)
      }
})

function plainDistance(one: string, other: string): number {
  if (one === '' || other === '') return Math.max(one.length, other.length)
  const same = one.at(-1) === other.at(-1) ? 0 : 1
  return Math.min(
    plainDistance(one.slice(0, -1), other.slice(0, -1)) + same,
    plainDistance(one.slice(0, -1), other) + 1,
    plainDistance(one, other.slice(0, -1)) + 1,
  )
}
