import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DIALECT_NAMES, type DialectName } from '../../../src/translation/dialects/index.ts'
import { AwsEventStream } from '../../../src/platform/net/aws-event-stream.ts'
import { EventReader } from '../../../src/platform/net/event-reader.ts'
import type { WireEvent } from '../../../src/translation/wire/wire.ts'
import { awsFrame } from '../../fakes/aws-frames.ts'
import { status } from '../../fakes/behaviours.ts'
import { sendBytes } from '../../fakes/broken-streams.ts'
import { OWN, OWN_EVENTS } from '../../fakes/own-response.ts'
import { DIALECT_SAMPLES } from '../../fakes/recordings.ts'
import { sample, someOf } from '../../soak/sample.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { gatewayWithRows, rowPerDialect } from '../../gateway/gateway-with-rows.ts'

// A few kilobytes of brackets are enough to exhaust the stack of whatever calls itself for every level. Wherever a provider
// sends them, its caller learns that, and nothing else breaks.

const { gateway, provider } = await gatewayWithRows(rowPerDialect())
const DEEP = '['.repeat(20_000) + ']'.repeat(20_000)
const DEEP_OBJECT = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
const MARK = '"here"'

let asked = 0

/** An event that is no part of the answer takes nothing away from it: the answer then has its end. */
const NAMED_OR_WHOLE =
  /nested too deeply|data: \[DONE\]|event: message_stop|event: response.completed|"finishReason"|message-end/

/** How each format asks, whole and streamed. */
const FORMATS: Record<string, (model: string, stream: boolean) => [path: string, body: object]> = {
  chat: (model, stream) => ['/v3/chat/completions', { model, stream, ...HELLO }],
  messages: (model, stream) => ['/v3/v1/messages', { model, stream, max_tokens: 9, ...HELLO }],
  responses: (model, stream) => ['/v3/responses', { model, stream, input: 'Hello' }],
  gemini: (model, stream) => [
    `/v3/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ parts: [{ text: 'Hello' }] }] },
  ],
  cohere: (model, stream) => ['/v3/v2/chat', { model, stream, ...HELLO }],
}

for (const dialect of DIALECT_NAMES)
  describe(`the dialect ${dialect}`, () => {
    const recordings = DIALECT_SAMPLES[dialect].recordings.filter(({ request, compat }) => !request.n && !compat)
    test('a whole answer with a deep value in any place', async () => {
      for (const [at, { whole }] of recordings.slice(0, sample(2, 5)).entries())
        for (const text of someOf(withDeepValues(whole), at, 4))
          for (const format of someOf(Object.keys(FORMATS), asked, 2)) {
            provider.always(status(200, text, { 'content-type': 'application/json' }))
            await assertNamed(format, `my-${dialect}/x${asked++}`, false)
          }
    })

    test('a stream with a deep value in any event', async () => {
      for (const [at, { frames }] of recordings.slice(0, sample(1, 3)).entries()) {
        const events = await eventsOf(dialect, frames)
        for (const which of [...events.keys()].slice(at, at + 4))
          for (const data of withDeepValues(events[which]!.data).slice(-1)) {
            const changed = events.with(which, { ...events[which]!, data })
            provider.always(
              sendBytes(
                changed.map((event) => frameOf(dialect, event)),
                dialect,
              ),
            )
            await assertNamed(someOf(Object.keys(FORMATS), asked, 1)[0]!, `my-${dialect}/x${asked++}`, true)
          }
      }
    })

    test('an error with a deep value', async () => {
      provider.always(status(500, `{"error":{"message":"boom","details":${DEEP}}}`))
      const { code } = await ask('chat', `my-${dialect}/x${asked++}`, false)
      assert.equal(code, 502)
    })
  })

test('deep values on the responses wire are named, in every format', async () => {
  for (const stream of [false, true])
    for (const format of Object.keys(FORMATS)) {
      const events = OWN_EVENTS.map((event) => JSON.stringify(event))
      const changed = events.with(3, withDeepValues(events[3]!)[0]!)
      const whole = withDeepValues(JSON.stringify(OWN))[0]!
      provider.always(stream ? sendBytes(changed.map((data) => `data: ${data}\n\n`)) : status(200, whole))
      await assertNamed(format, someOf(['openai/gpt-5-pro', 'openai/o3-pro', 'openai/o1-pro'], asked++, 1)[0]!, stream)
    }
})

test('arguments of a caller’s own calls are never walked through more deeply', async () => {
  const calls = [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: `{"a":${DEEP}}` } }]
  const messages = [
    { role: 'assistant', tool_calls: calls },
    { role: 'tool', tool_call_id: 'call_1', content: DEEP },
    ...HELLO.messages,
  ]
  for (const dialect of DIALECT_NAMES) {
    provider.always(status(200, DIALECT_SAMPLES[dialect].recordings[0]!.whole))
    const { code } = await post('/v3/chat/completions', { model: `my-${dialect}/x${asked++}`, messages })
    assert.ok(code === 200 || code === 400 || code === 422, `${dialect} ${code}`)
  }
})

/** The error is the provider's, and says what is wrong; after the beginning of a stream it is inside of it. */
async function assertNamed(format: string, model: string, stream: boolean): Promise<void> {
  const { code, text } = await ask(format, model, stream)
  assert.ok(code === 502 || (stream && code === 200), `${format} ${model}: ${code} ${text.slice(0, 300)}`)
  assert.match(text, stream ? NAMED_OR_WHOLE : /nested too deeply/, `${format} ${model}`)
  assert.doesNotMatch(text, /internal_error/)
}

function ask(format: string, model: string, stream: boolean): Promise<{ code: number; text: string }> {
  return post(...FORMATS[format]!(model, stream))
}

async function post(path: string, body: object): Promise<{ code: number; text: string }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` }
  const reply = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  let text = ''
  try {
    for await (const piece of reply.body!) text += Buffer.from(piece).toString()
  } catch {
    // A chat that fails in its middle ends without its last chunk.
  }
  return { code: reply.status, text }
}

/** The text with a deep value in the place of each of its members, one at a time, and at its top. */
function withDeepValues(text: string): string[] {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) return [DEEP]
  const places = Object.keys(value).map((key) => JSON.stringify({ ...value, [key]: 'here' }).replace(MARK, () => DEEP))
  return [...places, JSON.stringify({ ...value, more: 'here' }).replace(MARK, () => DEEP_OBJECT), DEEP]
}

async function eventsOf(dialect: DialectName, frames: readonly Uint8Array[]): Promise<WireEvent[]> {
  const reader = dialect === 'bedrock' ? new AwsEventStream(bodyOf(frames)) : new EventReader(bodyOf(frames))
  const events: WireEvent[] = []
  for (let batch = await reader.next(); batch; batch = await reader.next()) events.push(...batch)
  return events.filter(({ data }) => data.startsWith('{'))
}

async function* bodyOf(frames: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* frames
}

function frameOf(dialect: DialectName, { event, data }: WireEvent): Uint8Array {
  if (dialect === 'bedrock') return awsFrame({ ':event-type': event!, ':message-type': 'event' }, data)
  return Buffer.from(`${event ? `event: ${event}\n` : ''}data: ${data}\n\n`)
}
