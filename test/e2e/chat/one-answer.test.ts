import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DIALECT_NAMES } from '../../../src/translation/dialects/index.ts'
import { status } from '../../fakes/behaviours.ts'
import { sendBytes } from '../../fakes/broken-streams.ts'
import { OWN_EVENTS } from '../../fakes/own-response.ts'
import { DIALECT_SAMPLES } from '../../fakes/recordings.ts'
import { someOf } from '../../soak/sample.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { gatewayWithRows, rowPerDialect } from '../../gateway/gateway-with-rows.ts'

// A stream is one answer, however its provider numbers it, names it, or sends it again.

const { provider, chat, post } = await gatewayWithRows(rowPerDialect())

/** How each format asks, and the event that ends its stream. */
const FORMATS: Record<string, { ask(model: string, stream: boolean): Promise<string>; end: RegExp; reason: RegExp }> = {
  chat: {
    ask: (model, stream) => post('/v3/chat/completions', { model, stream, ...HELLO }),
    end: /data: \[DONE\]/g,
    reason: /"finish_reason":"stop"/,
  },
  messages: {
    ask: (model, stream) => post('/v3/v1/messages', { model, stream, max_tokens: 9, ...HELLO }),
    end: /event: message_stop/g,
    reason: /"stop_reason":"end_turn"/,
  },
  responses: {
    ask: (model, stream) => post('/v3/responses', { model, stream, input: 'Hello' }),
    end: /event: response\.completed/g,
    reason: /"status":"completed"/,
  },
  gemini: {
    ask: (model, stream) => {
      const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
      return post(`/v3/v1beta/models/${model}:${method}`, { contents: [{ parts: [{ text: 'Hello' }] }] })
    },
    end: /"finishReason":"STOP"/g,
    reason: /"finishReason":"STOP"/,
  },
  cohere: {
    ask: (model, stream) => post('/v3/v2/chat', { model, stream, ...HELLO }),
    end: /"type":"message-end"/g,
    reason: /"finish_reason":"COMPLETE"/,
  },
}

const INDICES = [0, 1, 7, 1_000, '1', ' ', -1, 1.5, null, undefined, {}]

test('whatever number its only choice has, an answer is there and has its end, in every format', async () => {
  for (const [turn, index] of INDICES.entries()) {
    const openai = [
      { choices: [{ index, delta: { role: 'assistant', content: 'Hi' } }] },
      { choices: [{ index, delta: {}, finish_reason: 'stop' }] },
    ].map((event) => ({ id: 'x', ...event }))
    const choices = [{ index, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
    const gemini = [
      { candidates: [{ index, content: { parts: [{ text: 'Hi' }] } }] },
      { candidates: [{ index, content: { parts: [] }, finishReason: 'STOP' }] },
    ]
    const candidates = [{ index, content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }]
    for (const [name, { ask, end, reason }] of someOf(Object.entries(FORMATS), turn, 2))
      for (const [dialect, events, whole] of [
        ['openai', [...openai, 'data: [DONE]\n\n'], { id: 'x', choices }],
        ['gemini', gemini, { candidates }],
      ] as const) {
        const what = `${JSON.stringify(index)} of ${dialect} in ${name}`
        provider.always(sendBytes([...events]))
        const streamed = await ask(`my-${dialect}/x`, true)
        assert.equal(streamed.match(end)?.length, 1, what)
        assert.match(streamed, reason, what)
        assert.match(streamed, /"Hi"/, what)
        provider.always(status(200, whole))
        const answer = await ask(`my-${dialect}/x`, false)
        assert.match(answer, reason, what)
        assert.match(answer, /"Hi"/, what)
      }
  }
})

test('several choices are numbered from 0 without gaps', async () => {
  for (const [own, expected] of [
    [
      [1, 2],
      [1, 0],
    ],
    [
      [5, 9],
      [0, 1],
    ],
    [
      ['1', '0'],
      [1, 0],
    ],
  ] as const) {
    const pieces = own.flatMap((index) => [
      { id: 'x', choices: [{ index, delta: { content: `${index}` } }] },
      { id: 'x', choices: [{ index, delta: {}, finish_reason: 'stop' }] },
    ])
    provider.always(sendBytes([...pieces, 'data: [DONE]\n\n']))
    const { chunks, done } = await chat.stream({ ...HELLO, model: 'my-openai/x', n: 2 })
    const numbers = chunks.flatMap(({ choices }) =>
      choices.flatMap(({ index, delta }) => (delta.content ? [index] : [])),
    )
    assert.deepEqual([numbers, done], [expected, 1])
    const choices = own.map((index) => ({
      index,
      message: { role: 'assistant', content: 'Hi' },
      finish_reason: 'stop',
    }))
    provider.always(status(200, { id: 'x', choices }))
    const { completion } = await chat.whole({ ...HELLO, model: 'my-openai/x', n: 2 })
    assert.deepEqual(completion.choices.map(({ index }) => index).toSorted(), [0, 1])
  }
})

test('a stream that is sent twice is passed on once, in every format', async () => {
  for (const [name, { ask, end }] of Object.entries(FORMATS)) {
    for (const dialect of DIALECT_NAMES) {
      const { frames } = DIALECT_SAMPLES[dialect].recordings.find((one) => one.name === 'text')!
      provider.always(sendBytes(frames, dialect))
      const once = await ask(`my-${dialect}/x`, true)
      provider.always(sendBytes([...frames, ...frames], dialect))
      const twice = await ask(`my-${dialect}/x`, true)
      assert.equal(twice.match(end)?.length, 1, `${dialect} in ${name}`)
      assert.equal(textsIn(twice), textsIn(once), `${dialect} in ${name}`)
    }
    provider.always(sendBytes(OWN_EVENTS))
    const own = await ask('openai/gpt-5-pro', true)
    provider.always(sendBytes([...OWN_EVENTS, ...OWN_EVENTS]))
    const ownTwice = await ask('openai/gpt-5-pro', true)
    assert.equal(ownTwice.match(end)?.length, 1, `the responses wire in ${name}`)
    assert.equal(textsIn(ownTwice), textsIn(own), `the responses wire in ${name}`)
  }
})

test('an unchanged stream of the messages format that begins again before its last event is passed on once', async () => {
  const { frames } = DIALECT_SAMPLES.anthropic.recordings.find((one) => one.name === 'text')!
  const withoutStop = frames.filter((frame) => !String(frame).includes('message_stop'))
  provider.always(sendBytes([...withoutStop, ...frames], 'anthropic'))
  const text = await FORMATS.messages!.ask('my-anthropic/x', true)
  assert.deepEqual(
    [/event: message_start/g, /event: content_block_start/g, /event: message_stop/g].map(
      (one) => text.match(one)?.length,
    ),
    [1, 1, 1],
  )
})

test('a tool call whose id changes with every piece is one call, and calls with the same number stay apart', async () => {
  const piece = (id: string | undefined, index: number | undefined, called: object) => {
    return {
      id: 'x',
      choices: [{ index: 0, delta: { tool_calls: [{ id, index, type: 'function', function: called }] } }],
    }
  }
  const end = { id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }
  for (const [what, pieces, expected] of [
    ['no name', [piece('a', 0, { name: 'f', arguments: '{"x"' }), piece('b', 0, { arguments: ':1}' })], ['f {"x":1}']],
    [
      'name',
      [piece('a', 0, { name: 'f', arguments: '' }), piece('b', 0, { name: 'f', arguments: '{"x":1}' })],
      ['f {"x":1}'],
    ],
    [
      'no number',
      [piece('a', undefined, { name: 'f', arguments: '{"x"' }), piece('b', undefined, { arguments: ':1}' })],
      ['f {"x":1}'],
    ],
    [
      'two',
      [piece('a', 0, { name: 'f', arguments: '{}' }), piece('b', 0, { name: 'f', arguments: '{"x":1}' })],
      ['f {}', 'f {"x":1}'],
    ],
    [
      'others',
      [piece('a', 0, { name: 'f', arguments: '' }), piece('b', 0, { name: 'g', arguments: '{}' })],
      ['f ', 'g {}'],
    ],
  ] as const) {
    provider.always(sendBytes([...pieces, end, 'data: [DONE]\n\n']))
    const { chunks } = await chat.stream({ ...HELLO, model: 'my-openai/x' })
    const calls: string[] = []
    for (const { choices } of chunks)
      for (const { index, function: called } of choices[0]?.delta.tool_calls ?? [])
        calls[index] = (calls[index] ?? `${called?.name} `) + (called?.arguments ?? '')
    assert.deepEqual(calls, expected, what)
  }
})

/** The words of an answer, without what the gateway numbers anew for every call. */
function textsIn(stream: string): string {
  const texts = stream.matchAll(/"(?:text|content|delta)":"((?:[^"\\]|\\.)*)"/g)
  return Array.from(texts, ([, text]) => text).join('|')
}
