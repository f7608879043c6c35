import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANY_CALLER } from '../../../test/fakes/any-caller.ts'
import { guardrailOf } from '../../platform/config/guardrails/guardrail-entry.ts'
import { GuardrailTable } from '../../tenants/guardrails/guardrail-table.ts'
import { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import type { AnswerChunk } from '../../translation/wire/answer.ts'
import { newCall } from '../call.ts'
import { GuardrailBlock } from './guardrail-block.ts'
import { guardStage } from './guard-stage.ts'
import { openGuards } from './guards.ts'

// What providers send in pieces beside the texts of a streamed answer.

const HEAD = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' } as const
const ended = { ...HEAD, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] } as unknown as AnswerChunk

function piece(delta: object, choice: object = {}, chunk: object = {}): AnswerChunk {
  return { ...HEAD, ...chunk, choices: [{ index: 0, delta, finish_reason: null, ...choice }] } as unknown as AnswerChunk
}

function opened(action: string) {
  const entry = { id: 'g', applies_to: 'all', checks: [{ check: 'patterns', words: ['falcon'] }], action }
  const read = guardrailOf(entry, 'file', [])
  if (Array.isArray(read)) throw new Error(JSON.stringify(read))
  const guardrails = new GuardrailTable()
  guardrails.replace([read], { guardrails: [], unreadable: [] })
  const { signal } = new AbortController()
  const call = newCall({ id: 'r', caller: ANY_CALLER, endpoint: 'chat', startedAt: 0, signal, wantsMetadata: false })
  const services = { guardrails, loopSlot: async () => {} }
  const guards = openGuards(call, () => ['a/b'], { placeholders: new Placeholders(), services })!
  const found = () => call.record.guardrails.filter(({ outcome }) => outcome !== 'passed').map(({ count }) => count)
  return { stage: guardStage(guards), found }
}

/** What passes of a stream, chunk by chunk. */
async function passed(pieces: readonly AnswerChunk[], action = 'redact'): Promise<AnswerChunk[]> {
  const { stage } = opened(action)
  const all: AnswerChunk[] = []
  for (const one of [...pieces, ended]) all.push(...stage.feed([one]))
  return [...all, ...(await stage.end())]
}

const deltasIn = (chunks: readonly AnswerChunk[]) =>
  chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta as Record<string, unknown>))
const called = (call: object) => piece({ tool_calls: [call] })

/** Places in which a stream has a text in two pieces. */
const SPLIT: Record<string, AnswerChunk[]> = {
  'calls without an index': [
    called({ id: 'a', function: { name: 'f', arguments: '{"to":"fal' } }),
    called({ function: { arguments: 'con"}' } }),
  ],
  'calls that only their ids name': [
    called({ id: 'a', function: { name: 'f', arguments: '{"to":"fal' } }),
    called({ id: 'b', function: { name: 'f', arguments: '{}' } }),
    called({ id: 'a', function: { arguments: 'con"}' } }),
  ],
  'a nested member': [piece({ extra: { deep: { text: 'fal' } } }), piece({ extra: { deep: { text: 'con' } } })],
  'a nested member with a common name': [piece({ extra: { name: 'fal' } }), piece({ extra: { name: 'con' } })],
  'entries without an index': [piece({ extra: [{ text: 'fal' }] }), piece({ extra: [{ text: 'con' }] })],
  'signed entries without an index': [
    piece({ reasoning_details: [{ type: 'reasoning.text', text: 'fal' }] }),
    piece({ reasoning_details: [{ type: 'reasoning.text', text: 'con' }] }),
  ],
  'a member of the chunk': [piece({}, {}, { note: { x: 'fal' } }), piece({}, {}, { note: { x: 'con' } })],
  'a list of the chunk': [piece({}, {}, { notes: [{ x: 'fal' }] }), piece({}, {}, { notes: [{ x: 'con' }] })],
  'a member of the choice': [piece({}, { note: 'fal' }), piece({}, { note: 'con' })],
}

for (const [place, pieces] of Object.entries(SPLIT))
  test(`${place}: a word in two pieces is found`, async () => {
    await assert.rejects(passed(pieces, 'block'), GuardrailBlock)
    const flagged = opened('flag')
    const read = [...pieces, ended].flatMap((one) => flagged.stage.feed([one]))
    await flagged.stage.end()
    assert.deepEqual([read, flagged.found()], [[...pieces, ended], [1]])
    const left = JSON.stringify(await passed(pieces))
    assert.ok(!left.includes('con"') && !left.includes('con\\"'), left)
  })

test('calls without an index leave as whole calls, which have one', async () => {
  const chunks = await passed([
    called({ id: 'a', function: { name: 'f', arguments: '{"n":' } }),
    called({ function: { arguments: '1}' } }),
    called({ id: 'b', function: { name: 'g', arguments: '{}' } }),
  ])
  assert.deepEqual(
    deltasIn(chunks).find(({ tool_calls }) => tool_calls),
    {
      tool_calls: [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"n":1}' } },
        { index: 1, id: 'b', function: { name: 'g', arguments: '{}' } },
      ],
    },
  )
})

test('nothing is lost of members that no format has', async () => {
  const chunks = await passed([
    piece({ extra: { name: 'one ', text: 'a' } }, { note: { x: 1, y: 'first' } }, { sources: ['s1'], tier: 1 }),
    piece({ extra: { name: 'two', text: 'b' } }, { note: { x: 2, y: 'second' } }, { sources: ['s1'] }),
    piece({ content: 'fal' }, {}, { sources: ['s1', 's2'] }),
  ])
  assert.deepEqual(
    deltasIn(chunks).flatMap(({ extra }) => extra ?? []),
    [{ name: 'one two', text: 'ab' }],
  )
  const notes = chunks.flatMap(({ choices }) => choices.flatMap((choice) => Reflect.get(choice, 'note') ?? []))
  assert.deepEqual(notes, [
    { x: 1, y: 'first' },
    { x: 2, y: 'second' },
  ])
  assert.deepEqual(
    chunks.flatMap((chunk) => [Reflect.get(chunk, 'sources') ?? []].filter((sources) => sources.length > 0)),
    [['s1'], ['s1', 's2']],
  )
  assert.ok(chunks.some((chunk) => Reflect.get(chunk, 'tier') === 1))
})

test('only audio has bytes that are not read', async () => {
  const audio = { audio: { id: 'x', data: 'falcon', transcript: 'Hi' } }
  assert.ok(JSON.stringify(await passed([piece(audio)])).includes('"data":"falcon"'))
  for (const extra of [{ data: 'falcon' }, { deep: { data: 'falcon' } }])
    await assert.rejects(passed([piece({ extra })], 'block'), GuardrailBlock)
})
