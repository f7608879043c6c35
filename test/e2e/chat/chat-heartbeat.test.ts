import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { OpenAI } from 'openai'
import type { WireTimeouts, WireRequest } from '../../../src/translation/wire/wire.ts'
import { answer, type Behaviour, failure, hangAfterHeaders, silence } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import type { FakeProvider, SeenRequest } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { ASK, chatClient, readStream } from '../../gateway/chat-client.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import { startGatewayWithFakes } from '../../gateway/gateway-with-fakes.ts'
import { ANSWERS, LONG_MS, openLimitedSend } from '../../gateway/limited-send.ts'

// Silence: what keeps a connection open, and how long a provider may be silent.

const HEARTBEAT_MS = 20
/** Longer than a heartbeat, so that a comment is sent before the gateway gives up on a silent provider. */
const SHORT_MS = 10 * HEARTBEAT_MS
const NO_HEADERS: WireTimeouts = { headersMs: SHORT_MS, idleMs: LONG_MS }
const NO_EVENT: WireTimeouts = { headersMs: LONG_MS, idleMs: SHORT_MS }

const network = openLimitedSend(plannedLimits)
const gateway = await startGatewayWithFakes({ send: network.send, heartbeatMs: HEARTBEAT_MS, afterFinishMs: SHORT_MS })
const { chat, openai, fake } = gateway
const quiet = await startGateway({
  env: { OPENAI_BASE_URL: openai.url, OLLAMA_BASE_URL: fake.url },
  overrides: { send: network.send },
})
const quietChat = chatClient(quiet.url)
await gateway.reset()
after(async () => {
  await gateway.close()
  await quiet.close()
  await network.close()
})

const events = textEvents('Hi there')
const plans = {
  openai: new Map<unknown, Behaviour>(),
  fake: new Map<unknown, Behaviour>(),
  timeouts: new Map<unknown, WireTimeouts>(),
}
openai.always((request, response) => plans.openai.get(userOf(request))?.(request, response))
fake.always((request, response) => plans.fake.get(userOf(request))?.(request, response))

type Planned = typeof ASK & { user: string; fallbacks?: string[] }

/**
 * A body whose `user` selects the behaviours of the fakes, because the tests run concurrently. The limits apply to the
 * first provider.
 */
function plan(first: Behaviour, timeouts: WireTimeouts = ANSWERS, second?: Behaviour): Planned {
  const user = `user-${plans.openai.size}`
  plans.openai.set(user, first)
  plans.timeouts.set(user, timeouts)
  if (second) plans.fake.set(user, second)
  return { ...ASK, user, ...(second && { fallbacks: ['fake/priced'] }) }
}

function userOf({ body }: SeenRequest): unknown {
  return (body as { user?: unknown }).user
}

function plannedLimits({ url, body }: WireRequest): WireTimeouts | undefined {
  const { user } = JSON.parse(String(body)) as { user?: unknown }
  return url.startsWith(openai.url) ? plans.timeouts.get(user) : undefined
}

function requestsOf(provider: FakeProvider, { user }: { user: string }): SeenRequest[] {
  return provider.requests.filter((request) => userOf(request) === user)
}

describe('silence', { concurrency: true }, () => {
  test('before the first chunk and between chunks it is filled with comments', async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const body = plan(later(first.promise, stream(events, { waitFor: second.promise, waitAfter: 2 })))
    const response = await chat.post({ ...body, stream: true })
    const reader = textReader(response)
    await reader.until((text) => text.includes(': '))
    assert.doesNotMatch(reader.text(), /data: /)
    first.resolve()
    await reader.until((text) => /data: .*\n: /s.test(text))
    second.resolve()
    await reader.until((_, ended) => ended)
    const { chunks, comments, done, errors } = readStream(reader.text())
    assert.deepEqual([response.status, done, errors], [200, 1, []])
    assert.ok(comments.length >= 2)
    assert.equal(chunks.map(({ choices }) => choices[0]!.delta.content ?? '').join(''), 'Hi there')
  })

  test('in the messages format it is a comment before the first event, and a ping after it', async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const body = plan(later(first.promise, stream(events, { waitFor: second.promise, waitAfter: 2 })))
    const { model, messages, user } = body
    const response = await fetch(`${gateway.gateway.url}/v3/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, metadata: { user_id: user }, max_tokens: 50, stream: true }),
    })
    const reader = textReader(response)
    await reader.until((text) => text.includes(': '))
    assert.doesNotMatch(reader.text(), /event: /)
    first.resolve()
    const pings = (text: string) => text.split('event: ping\ndata: {"type":"ping"}\n\n').length - 1
    await reader.until((text) => pings(text) >= 3)
    assert.match(reader.text(), /^(: [^\n]*\n\n)+event: message_start\n/)
    second.resolve()
    await reader.until((_, ended) => ended)
    assert.match(reader.text(), /event: message_stop\n[^\n]*\n\n$/)
  })

  test('the official client reads a stream with comments', async () => {
    const { model, messages, user } = plan(stream(events, { pauseMs: 50 }))
    const tap = tappedFetch()
    const client = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.gateway.url}/v3`, fetch: tap.fetch })
    const request = { model, messages: messages as [], user, stream: true as const }
    let text = ''
    for await (const { choices } of await client.chat.completions.create(request))
      text += choices[0]?.delta.content ?? ''
    assert.equal(text, 'Hi there')
    assert.match(await tap.text(), /^: /m)
  })

  const silences: [string, Behaviour, WireTimeouts][] = [
    ['no headers', silence(), NO_HEADERS],
    ['no event', hangAfterHeaders(), NO_EVENT],
  ]
  for (const [what, behaviour, timeouts] of silences) {
    test(`after comments, and only comments, another model may still answer: ${what}`, async () => {
      const reply = await chat.stream(plan(behaviour, timeouts, stream(events)))
      assert.deepEqual([reply.status, reply.done, reply.errors], [200, 1, []])
      assert.ok(reply.comments.length >= 1)
      assert.ok(reply.chunks.every(({ model }) => model === 'fake/priced'))
      assert.equal(reply.chunks[0]!.provider, 'fake')
    })

    test(`a silent provider, ${what}: 504 before any byte, or the fallback`, async () => {
      const [lonely, lucky] = [plan(behaviour, timeouts), plan(behaviour, timeouts, stream(events))]
      const [alone, helped] = await Promise.all([
        quietChat.stream(lonely),
        quietChat.stream({ ...lucky, fallbacks: ['ollama/x'] }),
      ])
      assert.deepEqual([alone.status, alone.errors[0]?.error.code], [504, 'upstream_timeout'])
      assert.deepEqual([helped.status, helped.done, helped.comments, helped.chunks[0]?.model], [200, 1, [], 'ollama/x'])
      for (const { closed } of [lonely, lucky].flatMap((body) => requestsOf(openai, body)))
        assert.equal(await closed, true)
    })
  }

  test('a reply that was opened by a comment does not name a model that then failed', async () => {
    const { headers } = await chat.stream(plan(silence(), NO_HEADERS, stream(events)))
    const named = [headers.get('x-gatehouse-model'), headers.get('x-gatehouse-provider')]
    assert.ok(!named.includes('openai/gpt-4o-mini') && !named.includes('openai'), String(named))
  })

  test('after comments, a failure of all models is reported in the stream', async () => {
    const reply = await chat.stream(plan(silence(), NO_HEADERS, failure(429, { message: 'Slow down.' })))
    assert.deepEqual([reply.status, reply.done, reply.chunks], [200, 0, []])
    assert.deepEqual(
      reply.errors.map(({ error }) => [error.code, error.message]),
      [['rate_limited', 'fake/priced: Slow down.']],
    )
  })

  test('a provider that falls silent in the middle: an in-band error, no [DONE]', async () => {
    const { behaviour, timeouts, fallSilent } = silenceAfter(events.slice(0, 2))
    const body = plan(behaviour, timeouts, stream(textEvents('Other words')))
    const response = await chat.post({ ...body, stream: true })
    const reader = textReader(response)
    await reader.until((text) => text.split('data: ').length === 3)
    fallSilent()
    await reader.until((text) => /data: {"error":.*\n\n/.test(text))
    const reply = readStream(reader.text())
    assert.deepEqual([response.status, reply.done, reply.chunks.length], [200, 0, 2])
    assert.deepEqual(
      reply.errors.map(({ error }) => error.code),
      ['upstream_timeout'],
    )
    assert.equal(await requestsOf(openai, body)[0]!.closed, true)
  })

  test('a provider that falls silent after its finish reason has answered completely', async () => {
    const { behaviour, timeouts, fallSilent } = silenceAfter(events)
    const reader = textReader(await chat.post({ ...plan(behaviour, timeouts), stream: true }))
    await reader.until((text) => text.includes('"finish_reason":"stop"'))
    fallSilent()
    await reader.until((_, ended) => ended)
    const reply = readStream(reader.text())
    assert.deepEqual([reply.done, reply.errors], [1, []])
  })

  for (const [what, behaviour, timeouts] of [
    ['no headers', silence(), NO_HEADERS],
    ['no body', hangAfterHeaders('application/json'), NO_EVENT],
  ] as const) {
    test(`a whole answer that does not come is 504, or the fallback: ${what}`, async () => {
      const [alone, helped] = await Promise.all([
        chat.whole(plan(behaviour, timeouts)),
        chat.whole(plan(behaviour, timeouts, answer())),
      ])
      assert.deepEqual([alone.status, alone.failure.error.code], [504, 'upstream_timeout'])
      assert.deepEqual([helped.status, helped.completion.model], [200, 'fake/priced'])
    })
  }
})

/** A provider that sends these events and, when the test has seen them, a last comment. From then on its limit is short. */
function silenceAfter(events: readonly object[]) {
  const silent = Promise.withResolvers<void>()
  let isShort = false
  const behaviour: Behaviour = async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`)
    await silent.promise
    response.write(': the last word\n\n')
  }
  const timeouts: WireTimeouts = {
    headersMs: LONG_MS,
    get idleMs() {
      return isShort ? SHORT_MS : LONG_MS
    },
  }
  const fallSilent = () => {
    isShort = true
    silent.resolve()
  }
  return { behaviour, timeouts, fallSilent }
}

/** Lets a client read a response and keeps a copy of its text. */
function tappedFetch() {
  let copy: Promise<string> | undefined
  return {
    text: async () => (await copy) ?? '',
    fetch: async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const response = await fetch(input, init)
      const [one, other] = response.body!.tee()
      copy = new Response(other).text()
      return new Response(one, response)
    },
  }
}

function later(start: Promise<void>, behaviour: Behaviour): Behaviour {
  return async (request, response) => {
    await start
    await behaviour(request, response)
  }
}

/** Reads a body while it arrives, so that a test can react to it. */
function textReader(response: Response) {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let ended = false
  return {
    text: () => text,
    until: async (isEnough: (text: string, ended: boolean) => boolean) => {
      while (!isEnough(text, ended) && !ended) {
        const { done, value } = await reader.read()
        ended = done
        text += decoder.decode(value, { stream: !done })
      }
      assert.ok(isEnough(text, ended), `the stream ended early: ${text}`)
    },
  }
}
