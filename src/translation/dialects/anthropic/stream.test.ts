import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { ChatChunk } from '../../../contract/chat-reply.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { ChatDecoder } from '../chat-codec.ts'
import type { Compat } from '../openai/compat.ts'
import { anthropic } from './index.ts'

const REQUEST: ChatRequest = { model: 'anthropic/m', messages: [], stream: true }
const START = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'm', usage: { input_tokens: 3, output_tokens: 1 } },
}
const END = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }
const STOP = { type: 'message_stop' }

describe('calls in a stream', () => {
  test('are numbered by themselves, whatever the blocks between them', () => {
    const chunks = feed([START, block(0, 'thinking'), call(1, 'a'), block(2, 'text'), call(5, 'b'), END, STOP]).chunks
    const fragments = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    assert.deepEqual(
      fragments.flatMap(({ index, id }) => (id ? [[index, id]] : [])),
      [
        [0, 'toolu_a'],
        [1, 'toolu_b'],
      ],
    )
  })

  test('without input have the arguments {}', () => {
    const { chunks } = feed([START, call(0, 'a'), { type: 'content_block_stop', index: 0 }, END])
    assert.equal(argumentsIn(chunks), '{}')
  })

  test('keep an input that came whole, even where the provider sent no end of the block', () => {
    const { chunks } = feed([START, call(0, 'a', { x: 1 }), END])
    assert.equal(argumentsIn(chunks), '{"x":1}')
  })
})

describe('an error in a stream', () => {
  test('is thrown in the middle of a stream', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    assert.throws(() => feed([START, text(0, 'Hi'), error]), { kind: 'overloaded', status: 529, message: 'Overloaded' })
  })

  test('is thrown before anything was passed on, so that another model can take over', () => {
    const decoder = anthropic.chat.decoder(REQUEST)
    assert.deepEqual(decoder.feed({ data: JSON.stringify(START) }), [])
    const error = { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } }
    assert.throws(() => decoder.feed({ event: 'error', data: JSON.stringify(error) }), { kind: 'rate_limited' })
  })

  test('is an error even when it cannot be read', () => {
    assert.throws(() => anthropic.chat.decoder(REQUEST).feed({ event: 'error', data: '<html>' }), UpstreamProblem)
  })
})

describe('hosts that bend the grammar', () => {
  test('may send the start twice; later counts win and nulls do not', () => {
    const end = { ...END, usage: { output_tokens: 5, input_tokens: 40, cache_read_input_tokens: null } }
    const { chunks } = feed([START, START, text(0, 'Hi'), end, STOP])
    assert.deepEqual(chunks.at(-1)?.usage, {
      prompt_tokens: 40,
      completion_tokens: 5,
      total_tokens: 45,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    })
    assert.equal(chunks.filter(({ choices }) => choices[0]?.delta.role).length, 1)
  })

  test('may leave out the start of a text, and the stop reason if their row says so', () => {
    const { chunks, decoder } = feed([START, text(0, 'Hi'), STOP], { endsWithoutReason: 'always' })
    assert.equal(chunks[0]?.choices[0]?.delta.content, 'Hi')
    assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'stop')
    assert.ok(decoder.ended)
  })

  test('may count once more after the end; the count is passed on without a choice', () => {
    const counts = { type: 'message_delta', delta: {}, usage: { output_tokens: 7 } }
    const { chunks } = feed([START, text(0, 'Hi'), END, counts, STOP])
    assert.deepEqual(chunks.at(-1)?.choices, [])
    assert.equal(chunks.at(-1)?.usage?.completion_tokens, 7)
  })

  test('may send more text and a second reason after the end; both are passed on', () => {
    const cut = { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 7 } }
    const { chunks } = feed([START, text(0, 'Hi'), END, text(0, ' late'), cut, STOP])
    const choices = chunks.flatMap((chunk) => chunk.choices)
    assert.equal(choices.map(({ delta }) => delta.content ?? '').join(''), 'Hi late')
    assert.deepEqual(
      choices.flatMap(({ finish_reason }) => finish_reason ?? []),
      ['stop', 'length'],
    )
  })

  test('what cannot have been a part of the answer is passed over, and an end without a beginning is no end', () => {
    const { decoder } = feed(['', 'null', 'ping', '[]', '{}', STOP, { type: 'message_start' }])
    assert.deepEqual([decoder.malformed, decoder.ended], [6, false])
  })

  test('what may have been a part of the answer is a failure', () => {
    const delta = { type: 'input_json_delta', partial_json: '{}' }
    const broken = ['{"type":', { type: 'content_block_delta' }, { type: 'content_block_delta', index: 3, delta }]
    for (const event of broken) assert.throws(() => feed([START, event]), { kind: 'garbage' }, JSON.stringify(event))
  })

  test('may send the whole answer at its start, or in one event', () => {
    const content = [{ type: 'text', text: 'So: ' }, call(0, 'f', { city: 'Bern' }).content_block]
    const message = { id: 'msg_1', type: 'message', role: 'assistant', content, stop_reason: 'tool_use' }
    for (const events of [[{ type: 'message_start', message }, STOP], [message]]) {
      const { chunks, decoder } = feed(events)
      assert.equal(chunks[0]?.choices[0]?.delta.content, 'So: ')
      assert.equal(argumentsIn(chunks), '{"city":"Bern"}')
      assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'tool_calls')
      assert.ok(decoder.done)
    }
  })

  test('may announce an answer twice, but not two answers', () => {
    const start = (id: string) => ({ type: 'message_start', message: { id, type: 'message', content: [] } })
    const { chunks } = feed([start('msg_1'), start('msg_1'), text(0, 'Hi'), END, STOP])
    assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'stop')
    assert.throws(() => feed([start('msg_1'), text(0, 'Hi'), start('msg_2')]), { kind: 'garbage' })
  })

  test('may announce an answer twice, with its content in either of them, but not with two contents', () => {
    const start = (content: object[], stop_reason: string | null = null) => ({
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', content, stop_reason },
    })
    const content = [{ type: 'text', text: 'So: ' }, call(0, 'f', { city: 'Bern' }).content_block]
    const whole = start(content, 'tool_use')
    for (const events of [
      [start([]), whole],
      [whole, start([])],
      [whole, whole],
      [start([]), start([]), whole],
    ]) {
      const { chunks, decoder } = feed([...events, STOP])
      assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), 'So: ')
      assert.equal(argumentsIn(chunks), '{"city":"Bern"}')
      assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'tool_calls')
      assert.ok(decoder.done)
    }
    const other = start([{ type: 'text', text: 'No' }])
    assert.throws(() => feed([whole, other]), { kind: 'garbage' })
    assert.throws(() => feed([start([]), text(0, 'Hi'), other]), { kind: 'garbage' })
  })

  test('may not leave out the stop reason otherwise', () => {
    assert.throws(() => feed([START, text(0, 'Hi'), STOP]), { kind: 'cut', message: /endsWithoutReason/ })
  })
})

function feed(events: (object | string)[], compat?: Compat): { chunks: ChatChunk[]; decoder: ChatDecoder } {
  const decoder = anthropic.chat.decoder(REQUEST, { compat })
  const texts = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
  return { chunks: texts.flatMap((data) => decoder.feed({ data })), decoder }
}

function block(index: number, type: string) {
  return { type: 'content_block_start', index, content_block: { type } }
}

function call(index: number, name: string, input: object = {}) {
  return { type: 'content_block_start', index, content_block: { type: 'tool_use', id: `toolu_${name}`, name, input } }
}

function text(index: number, piece: string) {
  return { type: 'content_block_delta', index, delta: { type: 'text_delta', text: piece } }
}

function argumentsIn(chunks: ChatChunk[]): string {
  const fragments = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
  return fragments.map((fragment) => fragment.function?.arguments ?? '').join('')
}
