import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { AnswerDecoder } from '../answer/answer-decoder.ts'
import { ERRORS, recordingOf } from './fixtures/recordings.ts'
import { decoder } from './stream.ts'

const REQUEST: ChatRequest = { model: 'google/m', messages: [], stream: true }

test('text comes as it is written, then its end, then the count', () => {
  const { chunks } = fed(recordingOf('text').events)
  assert.deepEqual(
    chunks.map(({ choices }) => choices[0]?.delta.content ?? choices[0]?.finish_reason),
    ['Grüße aus ', '東京 🗼, and a "quo', 'ted" line\nbreak.', 'stop', undefined],
  )
  assert.equal(chunks.at(-1)?.usage?.total_tokens, 22)
  assert.ok(chunks.every(({ id }) => id === 'mZ0Xaf_yBc6l1dkP'))
})

test('a call comes whole, in the event that brings it', () => {
  const { chunks } = fed(recordingOf('thinking-with-tools').events)
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
  assert.deepEqual(deltas.map(({ reasoning_content }) => reasoning_content).slice(0, 2), ['I need ', 'the forecast.'])
  assert.deepEqual(deltas[2]?.tool_calls, [
    {
      index: 0,
      id: 'call_mZ0Xaf_yBc6l1dkP_0',
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
      extra_content: { google: { thought_signature: 'CpwCAVSoXO5oslo' } },
    },
  ])
})

test('a call in pieces comes when its last piece is here', () => {
  const { events } = recordingOf('partial-arguments')
  const calls = events.map(
    (_, at) => fed(events.slice(0, at + 1)).chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []).length,
  )
  assert.deepEqual(calls, [0, 0, 0, 0, 1, 1, 2])
})

test('a path beyond the end of a list, or to a prototype, does no harm', () => {
  const partialArgs = [
    { jsonPath: '$.list[4000000000]', numberValue: 1 },
    { jsonPath: '$.list[0]', numberValue: 2 },
    { jsonPath: '$.__proto__.polluted', boolValue: true },
    { jsonPath: 'list', numberValue: 3 },
  ]
  const part = { functionCall: { name: 'f', partialArgs } }
  const { chunks } = fed([{ candidates: [{ content: { parts: [part] }, finishReason: 'STOP' }] }])
  const text = chunks[0]!.choices[0]!.delta.tool_calls![0]!.function!.arguments
  assert.equal(text, '{"list":[2],"__proto__":{"polluted":true}}')
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})

test('an error is thrown wherever it comes, in either wrapping', () => {
  const { body } = ERRORS.unavailable!
  for (const error of [body, [body]]) {
    const reader = decoder(REQUEST)
    reader.feed({ data: JSON.stringify(recordingOf('text').events[0]) })
    assert.throws(() => reader.feed({ data: JSON.stringify(error) }), failure('overloaded'))
    assert.equal(reader.ended, false)
  }
})

test('a failure after nothing but reasoning is an error; after text it is an end', () => {
  const end = {
    candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed function call: f(' }],
  }
  assert.throws(() => fed([recordingOf('thinking').events[0]!, end]), failure('empty'))
  assert.equal(fed([recordingOf('text').events[0]!, end]).ended, true)
})

test('a block in the middle ends the answer that has begun', () => {
  const { chunks, ended } = fed([recordingOf('text').events[0]!, { promptFeedback: { blockReason: 'SAFETY' } }])
  assert.deepEqual(
    [ended, chunks.at(-2)?.choices[0]?.finish_reason ?? chunks.at(-1)?.choices[0]?.finish_reason],
    [true, 'content_filter'],
  )
})

test('an end needs every candidate', () => {
  const [first, second] = recordingOf('two-candidates').events as { candidates: object[] }[]
  const half = { ...second, candidates: second!.candidates.slice(0, 1) }
  assert.equal(fed([first!, half]).ended, false)
  assert.equal(fed([first!, second!]).ended, true)
})

test('malformed events are counted; empty usage is not passed on', () => {
  const reader = decoder(REQUEST)
  for (const data of ['', 'nonsense', '[]', '{"type":"ping"}']) assert.deepEqual(reader.feed({ data }), [])
  assert.equal(reader.malformed, 4)
  const { chunks } = fed([...recordingOf('text').events, { usageMetadata: { trafficType: 'ON_DEMAND' } }])
  assert.equal(chunks.filter(({ usage }) => usage).length, 1)
})

test('the last event once more adds nothing', () => {
  const { events } = recordingOf('text')
  const before = fed(events).chunks
  assert.deepEqual(fed([...events, events.at(-1)!]).chunks, before)
})

test('the tier that served comes with the count', () => {
  const [first, ...rest] = recordingOf('text').events
  const counted = { ...first, usageMetadata: { trafficType: 'ON_DEMAND_FLEX' } }
  assert.equal(fed([counted, ...rest]).chunks.at(-1)?.service_tier, 'flex')
})

function fed(events: object[]) {
  const reader = new AnswerDecoder(decoder(REQUEST))
  const chunks = events.flatMap((event) => reader.feed({ data: JSON.stringify(event) }))
  return { chunks, ended: reader.ended }
}

function failure(kind: string) {
  return (error: unknown) => error instanceof UpstreamProblem && error.kind === kind
}
