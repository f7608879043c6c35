import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../../../../test/soak/sample.ts'
import type { ChatChunk, ChatCompletion } from '../../../contract/chat-reply.ts'
import { problem } from '../../../contract/problems.ts'
import { Notes } from '../../dialects/notes.ts'
import { arrayFraming, eventFraming } from './framings.ts'
import { fromCompletion } from './from-completion.ts'
import { GeminiEvents } from './gemini-events.ts'
import { groundingOf } from './grounding.ts'
import { fieldsOf } from './names.ts'
import { ownChanges } from './own-body.ts'
import { toJsonSchema } from './schema.ts'
import { isOurSignature, sealSignature, unsealSignature } from './signatures.ts'

type Fields = Record<string, unknown>
type Part = Fields & { text?: string; thought?: boolean }
type Reply = Fields & { candidates: { content: { parts: Part[] }; finishReason?: string }[] }
type Said = { thinking: string; text: string; calls: string[] }

const HEAD = { id: 'chatcmpl-1', created: 1, model: 'p/m', provider: 'p', cost: 0.5 }
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const words = fc.string({ unit: 'grapheme', maxLength: 20 })
const answers: fc.Arbitrary<Said> = fc.record({
  thinking: words,
  text: words,
  calls: fc.array(fc.constantFrom('{}', '{"a":1}', '{"city":"Zürich"}'), { maxLength: 3 }),
})

for (const [name, framing, read] of [
  ['events', eventFraming, eventsIn],
  ['an array', arrayFraming, (text: string) => JSON.parse(text) as Reply[]],
] as const)
  test(`a streamed answer is the same as the whole one, however it is cut, as ${name}`, () => {
    fc.assert(
      fc.property(answers, fc.integer({ min: 1, max: 9 }), (said, size) => {
        const whole = fromCompletion(completionOf(said)) as Reply
        const events = new GeminiEvents(framing())
        const replies = read(
          chunksOf(said, size)
            .map((chunk) => events.chunks([chunk]))
            .join('') + events.end(),
        )
        assert.deepEqual(folded(replies), folded([whole]))
        const { candidates: _, ...about } = replies.at(-1)!
        const { candidates: __, ...expected } = whole
        assert.deepEqual(about, expected)
        for (const { candidates } of replies) assert.ok(candidates[0]!.content.parts.length > 0)
      }),
      { numRuns: sample(25, 200) },
    )
  })

test('an error ends an array without closing it, and comes after what was held back', () => {
  const events = new GeminiEvents(arrayFraming())
  const text = events.chunks(chunksOf({ thinking: '', text: 'Hi', calls: [] }, 9))
  const failed = text + events.failure(problem('upstream_error', { message: 'It broke.' }))
  const replies = JSON.parse(`${failed}]`) as { error?: Fields }[]
  assert.deepEqual([replies.length, replies.at(-1)!.error?.status], [3, 'UNAVAILABLE'])
})

test("Google's notation of schemas becomes JSON Schema; names of properties stay as they are", () => {
  const schema = {
    type: 'ARRAY',
    min_items: '2',
    items: { type: 'OBJECT', properties: { any_of: { anyOf: [{ type: 'INTEGER', nullable: true }] } } },
  }
  assert.deepEqual(toJsonSchema(schema), {
    type: 'array',
    minItems: 2,
    items: { type: 'object', properties: { any_of: { anyOf: [{ type: ['integer', 'null'] }] } } },
  })
  let deep: Fields = {}
  for (let depth = 0; depth < 10_000; depth++) deep = { items: deep }
  assert.ok(toJsonSchema(deep))
})

test('names in snake case are read; values and long objects keep theirs', () => {
  assert.deepEqual(fieldsOf({ inline_data: { mime_type: 1 } }), { inlineData: { mime_type: 1 } })
  assert.deepEqual(Object.keys(fieldsOf({ a: 1, _b: 2 })), ['a', '_b'])
})

test('a sealed signature is base64, survives the other alphabet, and is read by its provider only', () => {
  const details = [{ type: 'anthropic.thinking', signature: '?>~ÿ' }]
  const signature = sealSignature(details, 'anthropic')
  const urlSafe = signature.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  for (const one of [signature, urlSafe]) {
    assert.ok(isOurSignature(one))
    assert.deepEqual(unsealSignature(one, ['anthropic']), details)
    assert.deepEqual(unsealSignature(one, ['bedrock']), [])
  }
  assert.ok(!isOurSignature('CsQBAdHtim8') && !isOurSignature(undefined))
})

test('Vertex AI gets no ids of calls, and the role of the user; both get no signatures of others', () => {
  const ours = sealSignature([], 'openai')
  const parts = [
    { text: 'hm', thought: true, thoughtSignature: ours },
    { functionCall: { id: '1', name: 'f' }, thought_signature: ours },
    { functionCall: { id: '2', name: 'f' }, thoughtSignature: 'theirs' },
  ]
  const sent = (isVertex: boolean) => ownChanges({ contents: { role: 'model', parts } }, isVertex, new Notes()).contents
  const signed = { thoughtSignature: 'skip_thought_signature_validator' }
  const theirs = { thoughtSignature: 'theirs' }
  const call = (id: string) => ({ functionCall: { id, name: 'f' } })
  assert.deepEqual(sent(false), [
    {
      role: 'model',
      parts: [
        { ...call('1'), ...signed },
        { ...call('2'), ...theirs },
      ],
    },
  ])
  const plain = { functionCall: { name: 'f' } }
  assert.deepEqual(sent(true), [
    {
      role: 'model',
      parts: [
        { ...plain, ...signed },
        { ...plain, ...theirs },
      ],
    },
  ])
  const roleless = [{ parts: [{ text: 'Hi' }] }]
  assert.deepEqual(ownChanges({ contents: roleless }, false, new Notes()), {})
  const said = ownChanges({ contents: roleless }, true, new Notes())
  assert.deepEqual(said, { contents: [{ ...roleless[0], role: 'user' }] })
  assert.deepEqual(ownChanges(said, true, new Notes()), {})
})

test('Google gets no answers of others that say nothing to it', () => {
  const ours = sealSignature([], 'openai')
  const asked = { role: 'user', parts: [{ text: 'Hi' }] }
  const silent = [
    { role: 'model', parts: [{ text: '' }] },
    { role: 'model', parts: [{ text: 'hm', thought: true, thoughtSignature: ours }] },
  ]
  const signed = { role: 'model', parts: [{ text: '', thoughtSignature: 'theirs' }] }
  for (const turn of silent)
    assert.deepEqual(ownChanges({ contents: [asked, turn, asked] }, false, new Notes()), { contents: [asked, asked] })
  assert.deepEqual(ownChanges({ contents: [asked, signed, asked] }, false, new Notes()), {})
})

test('sources are named once each, and their offsets count bytes', () => {
  const cite = (start_index: number, end_index: number, url: string) => {
    return { type: 'url_citation', url_citation: { start_index, end_index, url, title: url.toUpperCase() } }
  }
  const { groundingMetadata } = groundingOf([cite(0, 1, 'a'), cite(1, 5, 'b'), cite(0, 5, 'a')], '東京 🗼')
  const { groundingChunks, groundingSupports } = groundingMetadata as {
    groundingChunks: []
    groundingSupports: Fields[]
  }
  assert.equal(groundingChunks.length, 2)
  assert.deepEqual(
    groundingSupports.map(({ segment, groundingChunkIndices }) => [segment, groundingChunkIndices]),
    [
      [{ startIndex: 0, endIndex: 3, text: '東' }, [0]],
      [{ startIndex: 3, endIndex: 11, text: '京 🗼' }, [1]],
      [{ startIndex: 0, endIndex: 11, text: '東京 🗼' }, [0]],
    ],
  )
})

function completionOf({ thinking, text, calls }: Said): ChatCompletion {
  const tool_calls = calls.map(callOf)
  const message = {
    role: 'assistant' as const,
    content: text || null,
    ...(thinking && { reasoning_content: thinking }),
    ...(tool_calls.length > 0 && { tool_calls }),
  }
  const choices = [{ index: 0, message, finish_reason: reasonOf(calls), logprobs: null }]
  return { ...HEAD, object: 'chat.completion', choices, usage: USAGE }
}

function chunksOf({ thinking, text, calls }: Said, size: number): ChatChunk[] {
  const pieces = (said: string) =>
    Array.from({ length: Math.ceil(said.length / size) }, (_, at) => said.slice(at * size, (at + 1) * size))
  const deltas = [
    { role: 'assistant' as const, content: '' },
    ...pieces(thinking).map((reasoning_content) => ({ reasoning_content })),
    ...pieces(text).map((content) => ({ content })),
    ...calls.flatMap((json, index) => [
      { tool_calls: [{ index, ...callOf('', index) }] },
      ...pieces(json).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ]
  const object = 'chat.completion.chunk' as const
  const { cost: _, ...head } = HEAD
  const chunks: ChatChunk[] = deltas.map((delta) => ({
    ...head,
    object,
    choices: [{ index: 0, delta, finish_reason: null }],
  }))
  const end = { ...head, object, choices: [{ index: 0, delta: {}, finish_reason: reasonOf(calls) }] }
  return [...chunks, end, { ...HEAD, object, choices: [], usage: USAGE }]
}

function callOf(json: string, at: number) {
  return { id: `call_${at}`, type: 'function', function: { name: 'f', arguments: json } }
}

function reasonOf(calls: readonly string[]): 'stop' | 'tool_calls' {
  return calls.length > 0 ? 'tool_calls' : 'stop'
}

/** Text and reasoning of all replies joined, the calls, and the end. */
function folded(replies: readonly Reply[]) {
  const parts = replies.flatMap(({ candidates }) => candidates[0]!.content.parts)
  const joined = (isThought: boolean) =>
    parts
      .filter(({ thought = false }) => thought === isThought)
      .map(({ text = '' }) => text)
      .join('')
  const calls = parts.filter(({ functionCall }) => functionCall)
  return { text: joined(false), thought: joined(true), calls, end: replies.at(-1)!.candidates[0]!.finishReason }
}

function eventsIn(text: string): Reply[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data:'))
  return lines.map((line) => JSON.parse(line.slice('data:'.length)))
}
