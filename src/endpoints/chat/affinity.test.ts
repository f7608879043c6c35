import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../../contract/chat.ts'
import { byAffinity } from '../../calls/attempts/rotation.ts'
import { affinityOf } from './affinity.ts'

const BEGIN = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: 'Hello' },
] as const

test('all requests of a conversation have the same number, and others have another', () => {
  const first = of({ messages: [...BEGIN] })
  const later = of({ messages: [...BEGIN, { role: 'assistant', content: 'Hi' }, { role: 'user', content: 'More' }] })
  assert.equal(later, first)
  const others = [
    of({ messages: [...BEGIN] }, 'another owner'),
    of({ messages: [BEGIN[0], { role: 'user', content: 'Hello!' }] }),
    of({ messages: [{ role: 'system', content: 'Be long.' }, BEGIN[1]] }),
    of({ messages: [BEGIN[1]] }),
    of({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a/1.png' } }] }] }),
    of({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a/2.png' } }] }] }),
    of({ messages: [...BEGIN] }, 'owner', 'thread-1'),
  ]
  assert.equal(new Set([first, ...others]).size, others.length + 1)
  const sameSession = of({ messages: [{ role: 'user', content: 'Other' }] }, 'owner', 'thread-1')
  assert.equal(sameSession, others.at(-1))
  assert.notEqual(of({ messages: [...BEGIN] }, 'another owner', 'thread-1'), sameSession)
})

test('the work is bounded, and odd messages have a number too', () => {
  const long = 'x'.repeat(10_000_000)
  assert.equal(of({ messages: [{ role: 'user', content: long }] }), of({ messages: [{ role: 'user', content: long }] }))
  for (const content of [null, [], [null], [{}], [{ type: 'text', text: 'a' }]])
    assert.equal(typeof of({ messages: [{ role: 'user', content }] }), 'number')
  assert.equal(typeof of({ messages: [] }), 'number')
})

test('conversations are shared by weight, and only those of a missing one move', () => {
  const items = [3, 1, 1].map((weight, index) => ({ weight, index }))
  const numbers = Array.from({ length: 5_000 }, (_, index) =>
    of({ messages: [{ role: 'user', content: `c${index}` }] }),
  )
  const first = numbers.map((number) => byAffinity(items, number)[0]!.index)
  const counts = items.map(({ index }) => first.filter((one) => one === index).length / numbers.length)
  for (const [index, share] of [0.6, 0.2, 0.2].entries())
    assert.ok(Math.abs(counts[index]! - share) < 0.03, `${counts}`)
  const without = numbers.map((number) => byAffinity(items.slice(1), number)[0]!.index)
  for (const [at, index] of first.entries()) if (index !== 0) assert.equal(without[at], index)
})

function of(request: object, owner = 'owner', session: string | null = null): number {
  return affinityOf(request as ChatRequest, owner, session)()
}
