import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { foldChunks } from '../../../../test/fakes/fold-chunks.ts'
import { callDelta, callStart, end, recordings, start, text } from './fixtures/recordings.ts'
import { cohere } from './index.ts'

const { decode, decoder: newDecoder } = cohere.chat
const REQUEST = { model: 'm', messages: [] }

describe('the recordings are decoded as expected', () => {
  for (const { name, reply, message, finish, usage } of recordings) {
    const choices = [{ index: 0, message, finish_reason: finish }]
    test(name, () => {
      // As a caller gets it: without symbols.
      const sent: unknown = JSON.parse(JSON.stringify(decode(JSON.stringify(reply))))
      assert.deepEqual(sent, { id: reply.id, object: 'chat.completion', choices, usage })
    })
  }
})

describe('a stream that goes wrong', () => {
  test('an error at the end, or instead of an event, is thrown', () => {
    const error = { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'the model fell over' } }
    assert.throws(() => fed([start(), text(0, 'Hi'), error]), {
      kind: 'server_error',
      message: 'the model fell over',
    })
    assert.throws(() => fed([start(), end('TIMEOUT')]), { kind: 'timeout' })
    assert.throws(() => fed([start(), { id: 'x', message: 'oh' }]), { message: 'oh' })
  })

  test('nothing is passed on before there is content: another target may still take over', () => {
    assert.deepEqual(fed([start()]).chunks, [])
  })

  test('an event of a known kind that cannot be read is a failure', () => {
    const broken = [...['{oh', callDelta(0, '{}'), { type: 'message-end' }], { type: 'message-start', id: 'another' }]
    for (const event of broken)
      assert.throws(() => fed([start(), text(0, 'Hi'), event]), { kind: 'garbage' }, JSON.stringify(event))
    assert.throws(() => fed([callStart(3, 'a', 'f'), callStart(3, 'b', 'g')]), { kind: 'garbage' })
  })

  test('events after the end are not read', () => {
    const { chunks } = fed([text(0, 'Hi'), end('COMPLETE'), text(0, ' there')])
    assert.equal((foldChunks(chunks).choices as { message: { content: string } }[])[0]?.message.content, 'Hi')
  })
})

describe('a whole reply', () => {
  test('nothing at all is empty, an answer that failed is a failure', () => {
    assert.throws(() => decode(' '), { kind: 'empty' })
    assert.throws(() => decode('{"message":{}}'), { kind: 'garbage' })
    assert.throws(() => decode('{"id":"x","message":"oh"}'), { kind: 'server_error', message: 'oh' })
    assert.throws(() => decode('{"message":{},"finish_reason":"TIMEOUT"}'), { kind: 'timeout' })
  })

  test('has the probabilities of its tokens, and so has a streamed one', () => {
    const logprobs = { text: 'Hi', token_ids: [1, 2], logprobs: [-0.5, -0.25] }
    const expected = { content: [{ token: 'Hi', logprob: -0.75, bytes: null, top_logprobs: [] }] }
    const whole = decode(JSON.stringify({ ...recordings[0]!.reply, logprobs: [logprobs] }))
    assert.deepEqual(whole.choices[0]?.logprobs, expected)
    const [chunk] = newDecoder(REQUEST).feed({ data: JSON.stringify({ ...text(0, 'Hi'), logprobs }) })
    assert.deepEqual(chunk?.choices[0]?.logprobs, expected)
  })
})

describe('a call without arguments has an empty object, not null', () => {
  test('holds for a whole reply', () => {
    for (const none of [null, '', 'null', ' null\n', undefined]) {
      const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: none } }]
      const { choices } = decode(JSON.stringify({ message: { tool_calls }, finish_reason: 'TOOL_CALL' }))
      assert.deepEqual(argumentsIn(choices[0]!.message), ['{}'], JSON.stringify(none))
    }
  })

  const pieces: [string[], string][] = [
    [[], '{}'],
    [['null'], '{}'],
    [['n', 'ul', 'l'], '{}'],
    [['{"a"', ':null}'], '{"a":null}'],
    [['nu', 'mber'], 'number'],
  ]
  for (const [sent, expected] of pieces)
    test(`in a stream of ${JSON.stringify(sent)}`, () => {
      for (const last of [[{ type: 'tool-call-end', index: 0 }], []]) {
        const calls = [callStart(0, 'a', 'f'), ...sent.map((piece) => callDelta(0, piece)), ...last]
        const [choice] = foldChunks(fed([start(), ...calls, end('TOOL_CALL')]).chunks).choices as { message: object }[]
        assert.deepEqual(argumentsIn(choice!.message), [expected])
      }
    })
})

function argumentsIn(message: object): unknown[] {
  const { tool_calls } = message as { tool_calls: { function: { arguments: unknown } }[] }
  return tool_calls.map(({ function: called }) => called.arguments)
}

function fed(events: (object | string)[]) {
  const decoder = newDecoder(REQUEST)
  const texts = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
  const chunks = texts.flatMap((data) => decoder.feed({ data }))
  return { chunks, ended: decoder.ended, malformed: decoder.malformed }
}
