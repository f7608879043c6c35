import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answer } from '../fakes/behaviours.ts'
import { assertLoopCheap, loopCpu } from '../fakes/cpu.ts'
import { textEvents } from '../fakes/openai-events.ts'
import { stream } from '../fakes/stream.ts'
import { sample } from '../soak/sample.ts'
import { ASK, type WholeReply } from '../gateway/chat-client.ts'
import { gatewayForAll } from '../gateway/gateway-with-fakes.ts'

// Rules of callers (schemas, patterns, word lists) on texts of callers and models. They never block the event loop: its CPU
// time is compared with that of the same bytes in a field where the gateway does not evaluate them.

const { chat, openai } = await gatewayForAll()

/** A few ticks of the CPU clock, and what a hook may do at once. */
const SHORT_WORK_US = 100_000
/** What the gateway does by itself while it waits for an engine, which can take long on a busy machine. */
const BACKGROUND_SHARE = 0.01

type Case = { hooks: { pre_hooks?: object[]; post_hooks?: object[] }; said?: string; content?: string }

const size = (few: number) => sample(few / 4, few * 4)
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
    said: JSON.stringify(words(size(4_000), () => 'x')),
  },
  'an enum of objects': {
    hooks: heal({ type: 'array', items: { not: { enum: words(5_000, (at) => ({ a: { b: at } })) } } }),
    said: JSON.stringify(words(size(4_000), (at) => ({ a: { b: -1 - at } }))),
  },
  'patterns with countless states': {
    hooks: heal({
      type: 'array',
      items: { anyOf: words(19, (at) => ({ type: 'string', pattern: HARD_PATTERN + at })) },
    }),
    said: JSON.stringify(words(200, () => noise(2_000))),
  },
  'alternatives of alternatives that refer to themselves': {
    hooks: heal({ anyOf: [{ $ref: '#' }, { items: { oneOf: [{ $ref: '#' }, { $ref: '#' }] } }] }),
    said: `${'['.repeat(60)}1${']'.repeat(60)}`,
  },
  'megabytes of comments that are not closed': { hooks: heal({ type: 'object' }), said: '[{/*'.repeat(size(500_000)) },
  'megabytes of comments': { hooks: heal({ type: 'object' }), said: `[${' //\n'.repeat(size(500_000))}` },
  'megabytes of quotes': { hooks: heal({ type: 'object' }), said: `["${'" '.repeat(size(500_000))}` },
  'megabytes of brackets': { hooks: heal({ type: 'object' }), said: '{"a":['.repeat(size(200_000)) },
}

describe('json_heal', () => {
  for (const [name, one] of Object.entries(ANSWERED_BADLY)) {
    test(`${name}: 502 in a few words, and others are served meanwhile`, async () => {
      const { status, failure } = await answeredWithin(one)
      assert.equal(status, 502, failure.error.message)
      assert.ok(failure.error.message.length < 500, `${failure.error.message.length} characters`)
    })
  }

  test('what is too much to check passes when the caller wants it to, with a note', async () => {
    const { hooks, said = '' } = ANSWERED_BADLY['patterns with countless states']!
    const [hook] = hooks.post_hooks as { params: object }[]
    openai.always(answer({ content: said }))
    const post_hooks = [{ action: 'json_heal', params: { ...hook!.params, on_failure: 'pass', retry: true } }]
    const headers = { 'x-gatehouse-metadata': 'enabled' }
    const { status, completion } = await chat.whole({ ...ASK, post_hooks }, { headers })
    assert.equal(status, 200)
    assert.equal(completion.choices[0]!.message.content, said)
    const { hooks: ran } = completion.gatehouse as { hooks: { flagged: string[] }[] }
    assert.match(ran[0]!.flagged[0]!, /too large to be checked/)
    assert.equal(openai.requests.length, 1, 'to ask again would not help')
  })

  const REFUSED: Record<string, object> = {
    'too many values': { enum: words(60_000, (at) => at) },
    'too many characters': { const: 'x'.repeat(1_100_000) },
    'patterns that are too large together': { anyOf: words(100, (at) => ({ pattern: `a{450}${at}` })) },
    'too many parts': { anyOf: words(6_000, () => ({})) },
  }

  for (const [name, schema] of Object.entries(REFUSED)) {
    test(`${name}: 422 at the schema, before the provider is called`, async () => {
      const { status, failure, text } = await answeredWithin({ hooks: heal(schema) })
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

  test('patterns with countless states on a long text are stopped with a 413', async () => {
    const content = noise(size(200_000))
    const { status } = await answeredWithin({ hooks: { pre_hooks: block({ patterns: [HARD_PATTERN] }) }, content })
    assert.equal(status, 413)
    const post = await answeredWithin({ hooks: { post_hooks: block({ patterns: [HARD_PATTERN] }) }, said: content })
    assert.equal(post.status, 413)
  })

  test('a list of words with every character there is, on a text with every character there is', async () => {
    const every = words(60_000, (at) => String.fromCharCode(at + 0x20))
      .join('')
      .replace(/[\ud800-\udfff]/g, '')
    const listed = words(200, (at) => every.slice(at * 100 + 1_000, at * 100 + 1_100))
    const { status } = await answeredWithin({
      hooks: { pre_hooks: block({ words: listed, mode: 'flag' }) },
      content: every,
    })
    assert.equal(status, 200)
  })

  test('one text found in every one of thousands of messages is noted a hundred times', async () => {
    const messages = words(size(5_000), () => ({ role: 'user', content: 'secret' }))
    const body = { ...ASK, messages, pre_hooks: block({ words: ['secret'], mode: 'flag' }) }
    const { completion } = await chat.whole(body, { headers: { 'x-gatehouse-metadata': 'enabled' } })
    assert.equal((completion.gatehouse as { hooks: { flagged: string[] }[] }).hooks[0]!.flagged.length, 100)
  })

  test('a megabyte of figures, in a text, in the arguments of a call and in an answer', async () => {
    const figures = '4111 1111 '.repeat(size(30_000))
    const hook = [{ action: 'redact_pii' }]
    const { status } = await answeredWithin({ hooks: { pre_hooks: hook }, content: figures })
    assert.equal(status, 200)
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: JSON.stringify({ figures }) } }
    const messages = [
      ...ASK.messages,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: '' },
    ]
    assert.equal((await answeredWithin({ hooks: { pre_hooks: hook } }, { messages })).status, 200)
    assert.equal((await answeredWithin({ hooks: { post_hooks: hook }, said: figures })).status, 200)
  })
})

test('a stream whose pieces are too large to be looked through as they pass ends with an error', async () => {
  const hooks = [{ action: 'redact_pii' }, { action: 'block_patterns', params: { patterns: [HARD_PATTERN] } }]
  const said = ['4111 1111 '.repeat(size(30_000)), noise(size(200_000))]
  for (const [at, hook] of hooks.entries()) {
    const events = textEvents('.')
    events[1]!.choices[0]!.delta.content = said[at]!
    openai.always(stream(events))
    await assertLoopCheap(async () => {
      const cpu = await loopCpu(async () => {
        const { errors, done } = await chat.stream({ ...ASK, post_hooks: [hook] })
        assert.deepEqual([errors[0]?.error.code, done], ['too_large', 0])
      })
      return cpu < 3 * SHORT_WORK_US ? undefined : `${cpu} µs`
    })
  }
})

/**
 * Sends a request with the hooks and one with the same bytes as metadata that the gateway does not read: the event loop may
 * take twice as long at most.
 */
async function answeredWithin({ hooks, said, content }: Case, more: object = {}): Promise<WholeReply> {
  if (said !== undefined) openai.always(answer({ content: said }))
  const body = { ...ASK, ...(content !== undefined && { messages: [{ role: 'user', content }] }), ...more }
  let reply: WholeReply | undefined
  await assertLoopCheap(async () => {
    const unread = await loopCpu(() => chat.whole({ ...body, metadata: hooks }))
    openai.requests.length = 0
    const startedAt = performance.now()
    const read = await loopCpu(async () => (reply = await chat.whole({ ...body, ...hooks })))
    const background = BACKGROUND_SHARE * 1_000 * (performance.now() - startedAt)
    const isCheap = read < 2 * unread + SHORT_WORK_US + background
    return isCheap ? undefined : `${read} µs with the hooks, ${unread} µs without`
  })
  return reply!
}
