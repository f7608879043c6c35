import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { foldChunks } from '../../../../test/fakes/fold-chunks.ts'
import { end, input, type Recording, recordings, start, text, tool } from './fixtures/recordings.ts'
import { bedrock } from './index.ts'

const { decode, decoder: newDecoder } = bedrock.chat
const REQUEST = { model: 'm', messages: [] }

describe('the recordings are decoded as expected', () => {
  for (const { name, reply, message, finish, usage } of recordings) {
    const expected = { object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }], usage }
    test(name, () => assert.deepEqual(decode(JSON.stringify(reply)), expected))
  }
})

describe('a stream that goes wrong', () => {
  test('an exception is thrown, whatever came before', () => {
    const exception: Recording['events'][number] = ['exception:throttlingException', { message: 'Slow down' }]
    assert.throws(() => fed([start(), text(0, 'Hi'), exception]), { kind: 'rate_limited', message: 'Slow down' })
  })

  test('nothing is passed on before there is content: another target may still take over', () => {
    assert.deepEqual(fed([start()]).chunks, [])
  })

  test('an end without its reason is a failure', () => {
    assert.throws(() => fed([start(), text(0, 'Hi'), ['messageStop', {}]]), { kind: 'garbage' })
  })

  test('an answer that the model could not form is a failure, whole and streamed', () => {
    const broken = { ...recordings[0]!.reply, stopReason: 'malformed_tool_use' }
    assert.throws(() => decode(JSON.stringify(broken)), { kind: 'server_error' })
    assert.throws(() => fed([start(), ...end('malformed_tool_use')]), { kind: 'server_error' })
  })

  test('a piece of a call that never began, and a call that begins twice, are failures', () => {
    assert.throws(() => fed([start(), input(0, '{}')]), { kind: 'garbage' })
    assert.throws(() => fed([start(), tool(1, 'a', 'f'), tool(1, 'b', 'g')]), { kind: 'garbage' })
  })

  test('usage before the end counts, and events after the end are not read', () => {
    const [over, counts] = end('end_turn')
    const { chunks, done } = fed([text(0, 'Hi'), counts!, over!, text(0, ' there')])
    assert.equal(done, true)
    assert.equal((foldChunks(chunks).choices as { message: { content: string } }[])[0]?.message.content, 'Hi')
  })

  test('an end without counts is an end, but not the last word', () => {
    const { ended, done } = fed([text(0, 'Hi'), end('end_turn')[0]!])
    assert.deepEqual({ ended, done }, { ended: true, done: false })
  })
})

describe('a whole reply', () => {
  test('nothing at all is empty, an error with status 200 is an error', () => {
    assert.throws(() => decode(' '), { kind: 'empty' })
    assert.throws(() => decode('{"output":{}}'), { kind: 'garbage' })
    assert.throws(() => decode('{"__type":"ThrottlingException","message":"Slow"}'), { kind: 'rate_limited' })
  })

  test('the tier that served the call is reported, whole and streamed', () => {
    assert.equal(
      decode(JSON.stringify({ ...recordings[0]!.reply, serviceTier: { type: 'flex' } })).service_tier,
      'flex',
    )
    const data = JSON.stringify({ usage: {}, serviceTier: { type: 'flex' } })
    assert.equal(newDecoder(REQUEST).feed({ event: 'metadata', data })[0]?.service_tier, 'flex')
  })
})

function fed(events: Recording['events']) {
  const decoder = newDecoder(REQUEST)
  const chunks = events.flatMap(([event, payload]) => decoder.feed({ event, data: JSON.stringify(payload) }))
  const { ended, done, malformed } = decoder
  return { chunks, ended, done, malformed }
}
