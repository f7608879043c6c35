import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { readJobId, shortJobId } from './short-job-id.ts'

const IDS = [
  '00000000-0000-4000-8000-000000000000',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
  ...Array.from({ length: 200 }, () => randomUUID()),
]

test('a short id leads to its job and to few others, however it is written', () => {
  for (const id of IDS) {
    const short = shortJobId(id)
    for (const written of [short, short.toUpperCase(), ` ${short} `, short.replaceAll('-', ''), short.slice(4)]) {
      const range = readJobId(written)
      assert.ok(range && range.from <= id && id <= range.to, `${id} as ${written}`)
      assert.equal(range.from.slice(0, 13), range.to.slice(0, 13))
    }
    assert.deepEqual(readJobId(id), { from: id, to: id })
  }
})

test('a wrong character and two characters in the wrong order are noticed', () => {
  for (const id of IDS.slice(0, 20)) {
    const short = shortJobId(id).slice(4).replaceAll('-', '')
    for (let at = 0; at < short.length; at++) {
      for (const other of '0123456789abcdefghjkmnpqrstvwxyz') {
        // The one pair that the check digit does not tell apart.
        if (other === short[at] || '0z'.includes(other) === '0z'.includes(short[at]!)) continue
        assert.equal(readJobId(short.slice(0, at) + other + short.slice(at + 1)), undefined)
      }
      const swapped = short.slice(0, at) + (short[at + 1] ?? '') + short[at] + short.slice(at + 2)
      if (at < 9 && !'0z'.includes(short[at]!) && short[at] !== short[at + 1] && !'0z'.includes(short[at + 1]!))
        assert.equal(readJobId(swapped), undefined)
    }
  }
})

test('what is no id is none', () => {
  for (const text of ['', 'job-', 'job-abc', '../../etc', 'job-7k2q9-xm4t3-', 'x'.repeat(10_000)])
    assert.equal(readJobId(text), undefined, text.slice(0, 20))
})
