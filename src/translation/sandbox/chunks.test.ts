import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fakes/any-character.ts'
import { foldChunks } from '../../../test/fakes/fold-chunks.ts'
import { chunks } from './chunks.ts'
import { completion } from './completion.ts'
import type { Answer, Reply } from './reply-to.ts'
import { sample } from '../../../test/soak/sample.ts'

type Chunk = { choices: { index: number; delta: Record<string, unknown>; finish_reason: string | null }[] }

test('chunks fold back into the whole completion, for any answer', () => {
  const answers: fc.Arbitrary<Answer> = fc.oneof(
    fc.record({ kind: fc.constant('text' as const), text: fc.string({ unit: anyCharacter }) }),
    fc.record({
      kind: fc.constantFrom('function' as const, 'custom' as const, 'legacy' as const),
      name: fc.string(),
      text: fc.string({ unit: anyCharacter }),
    }),
  )
  const property = fc.property(answers, fc.integer({ min: 1, max: 4 }), (answer, choiceCount) => {
    const reply = { ...REPLY, answer, choiceCount }
    assert.deepEqual(foldChunks([...chunks(reply)]), completion(reply))
  })
  fc.assert(property, { numRuns: sample(60, 300) })
})

test('usage comes last, and only when asked for', () => {
  const requests = [...chunks(REPLY)] as (Chunk & { usage?: unknown })[]
  assert.deepEqual(requests.pop()?.choices, [])
  assert.ok(requests.every(({ usage }) => usage === null))
  const unasked = [...chunks({ ...REPLY, includeUsage: false })]
  assert.equal(unasked.length, requests.length)
  assert.ok(unasked.every((chunk) => !('usage' in chunk)))
})

test('words come one by one, the choices taking turns, white space kept', () => {
  const order = [...chunks({ ...REPLY, choiceCount: 2, includeUsage: false })] as Chunk[]
  assert.deepEqual(
    order.map(({ choices: [choice] }) => [choice?.index, choice?.delta.content, choice?.finish_reason]),
    ['', ' a', '  b', '\n']
      .flatMap((word) => [0, 1].map((index): unknown[] => [index, word, null]))
      .concat([
        [0, undefined, 'stop'],
        [1, undefined, 'stop'],
      ]),
  )
})

test('a call opens with its id, type and name; the arguments follow in fragments', () => {
  const answer = { kind: 'function', name: 'weather', text: '{"city":"Oslo"}' } as const
  const calls = ([...chunks({ ...REPLY, answer })] as Chunk[]).flatMap(
    ({ choices }) => choices[0]?.delta.tool_calls ?? [],
  )
  assert.deepEqual(calls, [
    { index: 0, id: 'call_000000000000000000000000', type: 'function', function: { name: 'weather', arguments: '' } },
    { index: 0, function: { arguments: '{"city":' } },
    { index: 0, function: { arguments: '"Oslo"}' } },
  ])
})

const REPLY: Reply = {
  fingerprint: '0'.repeat(24),
  created: 1,
  model: 'echo',
  stream: true,
  includeUsage: true,
  choiceCount: 1,
  answer: { kind: 'text', text: ' a  b\n' },
  finishReason: 'stop',
  usage: { promptTokens: 1, completionTokens: 2 },
}
