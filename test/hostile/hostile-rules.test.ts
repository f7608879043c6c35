import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answer } from '../fakes/behaviours.ts'
import { assertLoopLinear, GROWTH } from '../fakes/cpu.ts'
import { textEvents } from '../fakes/openai-events.ts'
import { stream } from '../fakes/stream.ts'
import { sample } from '../soak/sample.ts'
import { ASK, type WholeReply } from '../gateway/chat-client.ts'
import { gatewayForAll } from '../gateway/gateway-with-fakes.ts'
import { servedDuring } from '../gateway/served-during.ts'

// Rules of callers (schemas, patterns, word lists) on texts of callers and models. They never block the event loop: its CPU
// time grows at most as the texts do.

const { chat, openai, gateway } = await gatewayForAll()

/** Texts of one size, and of 16 times that. */
type Sized = (times: number) => string
type Case = { hooks: { pre_hooks?: object[]; post_hooks?: object[] }; said?: Sized; content?: Sized }

const size = (few: number) => sample(few / 4, few * 4) / GROWTH
const heal = (json_schema: object, params: object = {}) => ({
  post_hooks: [{ action: 'json_heal', params: { json_schema, ...params } }],
})
const words = (length: number, word: (at: number) => unknown) => Array.from({ length }, (_, at) => word(at))

/** Random letters, so that a pattern that caches what it has seen never sees the same text again. */
function noise(length: number): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff
    return state & 0x1_0000 ? 'a' : 'b'
  }).join('')
}

const HARD_PATTERN = '[ab]*a[ab]{440}c'

const ANSWERED_BADLY: Record<string, Case> = {
  'an enum of 20,000 words and an answer of as many others': {
    hooks: heal({ type: 'array', items: { enum: words(20_000, (at) => `some value ${at}`) } }),
    said: (times) => JSON.stringify(words(times * size(4_000), () => 'x')),
  },
  'an enum of objects': {
    hooks: heal({ type: 'array', items: { not: { enum: words(5_000, (at) => ({ a: { b: at } })) } } }),
    said: (times) => JSON.stringify(words(times * size(4_000), (at) => ({ a: { b: -1 - at } }))),
  },
  'patterns with countless states': {
    hooks: heal({
      type: 'array',
      items: { anyOf: words(19, (at) => ({ type: 'string', pattern: HARD_PATTERN + at })) },
    }),
    said: (times) => JSON.stringify(words(times * 12, () => noise(2_000))),
  },
  'alternatives of alternatives that refer to themselves': {
    hooks: heal({ anyOf: [{ $ref: '#' }, { items: { oneOf: [{ $ref: '#' }, { $ref: '#' }] } }] }),
    said: () => `${'['.repeat(60)}1${']'.repeat(60)}`,
  },
  'megabytes of comments that are not closed': {
    hooks: heal({ type: 'object' }),
    said: (times) => '[{/*'.repeat(times * size(500_000)),
  },
  'megabytes of comments': {
    hooks: heal({ type: 'object' }),
    said: (times) => `[${' //\n'.repeat(times * size(500_000))}`,
  },
  'megabytes of quotes': {
    hooks: heal({ type: 'object' }),
    said: (times) => `["${'" '.repeat(times * size(500_000))}`,
  },
  'megabytes of brackets': { hooks: heal({ type: 'object' }), said: (times) => '{"a":['.repeat(times * size(200_000)) },
}

describe('json_heal', () => {
  for (const [name, one] of Object.entries(ANSWERED_BADLY)) {
    test(`${name}: 502 in a few words, and the work on the event loop grows with the answer`, async () => {
      const { status, failure } = await answeredLinearly(one)
      assert.equal(status, 502, failure.error.message)
      assert.ok(failure.error.message.length < 500, `${failure.error.message.length} characters`)
    })
  }

  test('what is too much to check passes when the caller wants it to, with a note, and others are served meanwhile', async () => {
    const { hooks, said: text } = ANSWERED_BADLY['patterns with countless states']!
    const said = text!(GROWTH)
    const [hook] = hooks.post_hooks as { params: object }[]
    openai.always(answer({ content: said }))
    const post_hooks = [{ action: 'json_heal', params: { ...hook!.params, on_failure: 'pass', retry: true } }]
    const headers = { 'x-gatehouse-metadata': 'enabled' }
    const { value, served } = await servedDuring(gateway.url, chat.whole({ ...ASK, post_hooks }, { headers }))
    const { status, completion } = value
    assert.equal(status, 200)
    assert.ok(served > 3, `${served} others`)
    assert.equal(completion.choices[0]!.message.content, said)
    const { hooks: ran } = completion.gatehouse as { hooks: { flagged: string[] }[] }
    assert.match(ran[0]!.flagged[0]!, /too large to be checked/)
    assert.equal(openai.requests.length, 1, 'to ask again would not help')
  })

  const REFUSED: Record<string, (times: number) => object> = {
    'too many values': (times) => ({ enum: words(times * 3_750, (at) => at) }),
    'too many characters': (times) => ({ const: 'x'.repeat(times * 68_750) }),
    'patterns that are too large together': (times) => ({
      anyOf: words(times * 6, (at) => ({ pattern: `a{450}${at}` })),
    }),
    'too many parts': (times) => ({ anyOf: words(times * 375, () => ({})) }),
  }

  for (const [name, schema] of Object.entries(REFUSED)) {
    test(`${name}: 422 at the schema, before the provider is called`, async () => {
      const { status, failure, text } = await repliedLinearly((times) => ({ ...ASK, ...heal(schema(times)) }))
      assert.equal(status, 422)
      assert.deepEqual(failure.detail?.[0]?.loc.slice(0, 5), ['body', 'post_hooks', 0, 'params', 'json_schema'])
      assert.ok(text.length < 20_000, `${text.length} characters`)
      assert.equal(openai.requests.length, 0)
    })
  }

  test('an issue in many places under a long name is reported in a few words', async () => {
    const properties = { ['x'.repeat(500_000)]: { anyOf: words(1_000, () => ({ if: {} })) } }
    const { status, text } = await chat.whole({ ...ASK, ...heal({ properties }) })
    assert.equal(status, 422)
    assert.ok(text.length < 20_000, `${text.length} characters`)
  })
})

describe('patterns and personal data', () => {
  const block = (params: object) => [{ action: 'block_patterns', params }]

  test('patterns with countless states on a long text are stopped with a 413, and others are served meanwhile', async () => {
    const content = noise(GROWTH * size(200_000))
    const hook = block({ patterns: [HARD_PATTERN] })
    const asked = { ...ASK, messages: [{ role: 'user', content }], pre_hooks: hook }
    const before = await servedDuring(gateway.url, chat.whole(asked))
    assert.equal(before.value.status, 413)
    openai.always(answer({ content }))
    const after = await servedDuring(gateway.url, chat.whole({ ...ASK, post_hooks: hook }))
    assert.equal(after.value.status, 413)
    for (const { served } of [before, after]) assert.ok(served > 3, `${served} others`)
  })

  test('a list of words with every character there is, on a text with every character there is', async () => {
    const every = words(60_000, (at) => String.fromCharCode(at + 0x20))
      .join('')
      .replace(/[\ud800-\udfff]/g, '')
    const listed = words(200, (at) => every.slice(at * 100 + 1_000, at * 100 + 1_100))
    const { status } = await answeredLinearly({
      hooks: { pre_hooks: block({ words: listed, mode: 'flag' }) },
      content: (times) => every.slice(0, (every.length / GROWTH) * times),
    })
    assert.equal(status, 200)
  })

  test('one text found in every one of thousands of messages is noted a hundred times', async () => {
    const messages = words(GROWTH * size(5_000), () => ({ role: 'user', content: 'secret' }))
    const body = { ...ASK, messages, pre_hooks: block({ words: ['secret'], mode: 'flag' }) }
    const { completion } = await chat.whole(body, { headers: { 'x-gatehouse-metadata': 'enabled' } })
    assert.equal((completion.gatehouse as { hooks: { flagged: string[] }[] }).hooks[0]!.flagged.length, 100)
  })

  test('a megabyte of figures, in a text, in the arguments of a call and in an answer', async () => {
    const figures: Sized = (times) => '4111 1111 '.repeat(times * size(30_000))
    const hook = [{ action: 'redact_pii' }]
    const { status } = await answeredLinearly({ hooks: { pre_hooks: hook }, content: figures })
    assert.equal(status, 200)
    const calling = (times: number) => {
      const args = JSON.stringify({ figures: figures(times) })
      const call = { id: 'a', type: 'function', function: { name: 'f', arguments: args } }
      const messages = [
        ...ASK.messages,
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content: '' },
      ]
      return { ...ASK, pre_hooks: hook, messages }
    }
    assert.equal((await repliedLinearly(calling)).status, 200)
    assert.equal((await answeredLinearly({ hooks: { post_hooks: hook }, said: figures })).status, 200)
  })
})

test('a stream whose pieces are too large to be looked through as they pass ends with an error', async () => {
  const hooks = [{ action: 'redact_pii' }, { action: 'block_patterns', params: { patterns: [HARD_PATTERN] } }]
  const said: Sized[] = [(times) => '4111 1111 '.repeat(times * size(30_000)), (times) => noise(times * size(200_000))]
  for (const [at, hook] of hooks.entries())
    await assertLoopLinear(
      'a stream',
      async (times) => {
        const events = textEvents('.')
        events[1]!.choices[0]!.delta.content = said[at]!(times)
        openai.always(stream(events))
        const { errors, done } = await chat.stream({ ...ASK, post_hooks: [hook] })
        if (times === GROWTH) assert.deepEqual([errors[0]?.error.code, done], ['too_large', 0])
      },
      1,
    )
})

function answeredLinearly({ hooks, said, content }: Case): Promise<WholeReply> {
  return repliedLinearly((times) => {
    if (said !== undefined) openai.always(answer({ content: said(times) }))
    return { ...ASK, ...(content !== undefined && { messages: [{ role: 'user', content: content(times) }] }), ...hooks }
  })
}

/** Sends bodies of one size and of 16 times that. The reply is that to the large one. */
async function repliedLinearly(body: (times: number) => object): Promise<WholeReply> {
  let reply: WholeReply | undefined
  await assertLoopLinear(
    'the event loop',
    async (times) => {
      const sent = body(times)
      openai.requests.length = 0
      reply = await chat.whole(sent)
    },
    1,
  )
  return reply!
}
