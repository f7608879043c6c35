import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DIALECT_NAMES } from '../../src/translation/dialects/index.ts'
import { AwsEventStream } from '../../src/platform/net/aws-event-stream.ts'
import { EventReader } from '../../src/platform/net/event-reader.ts'
import type { Behaviour } from '../fakes/behaviours.ts'
import { foldChunks } from '../fakes/fold-chunks.ts'
import { OWN, OWN_EVENTS } from '../fakes/own-response.ts'
import { DIALECT_SAMPLES } from '../fakes/recordings.ts'
import { sample } from '../soak/sample.ts'
import { HELLO, type StreamedReply } from '../gateway/chat-client.ts'
import { gatewayWithRows, rowPerDialect } from '../gateway/gateway-with-rows.ts'

// An answer is read as what its bytes are, whatever its content type says, and whether or not a stream was asked for.

const { provider, chat, post } = await gatewayWithRows(rowPerDialect())

const EVENTS = 'text/event-stream'
const TYPES = [undefined, 'text/plain', 'application/json; charset=utf-8', 'application/octet-stream', EVENTS]

/** `frames` are the events of the stream as they are sent; `events` are their data. */
type Answer = { name: string; model: string; whole: string; frames: Buffer; events: string[]; isBinary: boolean }

let asked = 0

for (const dialect of DIALECT_NAMES) {
  const recordings = DIALECT_SAMPLES[dialect].recordings.filter(({ request, compat }) => !request.n && !compat)
  for (const { name, whole, frames } of recordings.slice(0, sample(2, 99)))
    rules({ name: `${dialect}: ${name}`, model: `my-${dialect}`, whole, ...(await readFrames(dialect, frames)) })
}
rules({
  name: 'the responses wire',
  model: 'openai/gpt-5-pro',
  whole: JSON.stringify(OWN),
  frames: Buffer.concat(OWN_EVENTS.map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`))),
  events: OWN_EVENTS.map((event) => JSON.stringify(event)),
  isBinary: false,
})

function rules({ name, model, whole, frames, events, isBinary }: Answer) {
  describe(name, () => {
    const own = isBinary ? 'application/vnd.amazon.eventstream' : EVENTS
    const pretty = JSON.stringify(JSON.parse(whole), null, 2)

    for (const type of [...TYPES, own])
      test(`a stream with the content type ${type}`, async () => {
        assert.deepEqual(await streamed(frames, type), await streamed(frames, own))
      })

    for (const type of TYPES)
      test(`a whole answer with the content type ${type} where a stream was asked for`, async () => {
        const expected = await asWhole(whole, 'application/json')
        for (const body of [whole, pretty, `\n ${pretty}\n`, `\ufeff${whole}`])
          assert.deepEqual(await streamed(body, type), expected, body.slice(0, 20))
      })

    test('a whole answer as the only event of a stream', async () => {
      const expected = await asWhole(whole, 'application/json')
      if (!isBinary) assert.deepEqual(await streamed(`data: ${oneLine(whole)}\n\n`, EVENTS), expected)
    })

    test('events without the name of their field, in a list and in lines', async () => {
      if (isBinary) return
      const expected = await streamed(frames, own)
      const list = `[${events.filter((data) => data.startsWith('{')).join(',\n')}]`
      const lines = events.filter((data) => data.startsWith('{')).join('\n\n')
      for (const type of TYPES) assert.deepEqual(await streamed(lines, type), expected, `lines as ${type}`)
      for (const type of TYPES) assert.deepEqual(await streamed(list, type), expected, `a list as ${type}`)
    })

    test('a stream where a whole answer was asked for', async () => {
      const expected = await streamed(frames, own)
      for (const type of isBinary ? [own] : [...TYPES, own])
        assert.deepEqual(await asWhole(frames, type), expected, String(type))
    })

    test('half of a stream where a whole answer was asked for is an error', async () => {
      if (isBinary) return
      provider.always(sending(frames.subarray(0, frames.length / 2), EVENTS))
      assert.equal((await chat.whole({ ...HELLO, model: next(model) })).status, 502)
    })

    test('an error in JSON is that error', async () => {
      for (const type of TYPES) {
        provider.always(sending('{"error":{"message":"The cat sits on the cable.","code":500}}', type))
        const { status, errors } = await chat.stream({ ...HELLO, model: next(model) })
        assert.equal(status, 502)
        assert.match(errors[0]!.error.message, /The cat sits on the cable/, String(type))
      }
    })

    test('an error that is neither names what came', async () => {
      for (const [type, words] of [
        ['text/html', '<html><body>Bad gateway</body></html>'],
        ['text/plain', 'no healthy upstream'],
        [undefined, 'no healthy upstream'],
      ] as const) {
        provider.always(sending(words, type))
        const { status, errors } = await chat.stream({ ...HELLO, model: next(model) })
        const { status: wholeStatus, failure } = await chat.whole({ ...HELLO, model: next(model) })
        assert.deepEqual([status, wholeStatus], [502, 502])
        for (const { error } of [errors[0]!, failure])
          assert.ok(error.message.includes(type ?? 'no content type'), error.message)
      }
    })

    async function streamed(body: string | Buffer, type: string | undefined) {
      provider.always(sending(body, type))
      const reply = await chat.stream({ ...HELLO, model: next(model) })
      return { status: reply.status, errors: reply.errors, done: reply.done, ...answerOf(foldedOf(reply)) }
    }

    async function asWhole(body: string | Buffer, type: string | undefined) {
      provider.always(sending(body, type))
      const { status, completion, failure } = await chat.whole({ ...HELLO, model: next(model) })
      const errors = failure.error ? [failure] : []
      return { status, errors, done: 1, ...answerOf(completion) }
    }
  })
}

test('callers of the provider’s own format get such an answer, too', async () => {
  const claude = DIALECT_SAMPLES.anthropic.recordings.find(({ name }) => name === 'text')!
  const gemini = DIALECT_SAMPLES.gemini.recordings.find(({ name }) => name === 'text')!
  for (const type of TYPES) {
    for (const body of [Buffer.concat(claude.frames), claude.whole]) {
      provider.always(sending(body, type))
      const text = await post('/v3/v1/messages', { model: next('my-anthropic'), max_tokens: 9, ...HELLO, stream: true })
      assert.match(text, /event: message_stop/, String(type))
    }
    provider.always(sending(Buffer.concat(claude.frames), type))
    const message = await post('/v3/v1/messages', { model: next('my-anthropic'), max_tokens: 9, ...HELLO })
    assert.equal(JSON.parse(message).content[0].text, JSON.parse(claude.whole).content[0].text)
    for (const body of [Buffer.concat(gemini.frames), gemini.whole]) {
      provider.always(sending(body, type))
      const contents = [{ parts: [{ text: 'Hello' }] }]
      for (const method of ['generateContent', 'streamGenerateContent?alt=sse'])
        assert.match(
          await post(`/v3/v1beta/models/${next('my-gemini')}:${method}`, { contents }),
          /"finishReason":"STOP"/,
        )
    }
    for (const body of [
      OWN_EVENTS.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
      JSON.stringify(OWN),
    ]) {
      provider.always(sending(body, type))
      for (const stream of [false, true])
        assert.match(
          await post('/v3/responses', { model: 'openai/gpt-5-pro', input: 'Hello', stream }),
          /"status":"completed"/,
        )
    }
  }
})

/** Every request asks another model, because failures in a row open the circuit of a model. */
function next(model: string): string {
  return model.includes('/') ? model : `${model}/x${asked++}`
}

function sending(body: string | Buffer, type: string | undefined): Behaviour {
  return (_, response) => void response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(body)
}

function foldedOf({ chunks, errors }: StreamedReply): object {
  return errors.length > 0 || chunks.length === 0 ? {} : foldChunks(chunks.map(({ gatehouse: _, ...chunk }) => chunk))
}

/** What an answer says, without what a stream and a whole answer write differently. */
function answerOf(completion: { choices?: unknown }) {
  const [choice] = (completion.choices ?? []) as { message: Record<string, unknown>; finish_reason: unknown }[]
  const { content, tool_calls, reasoning_content, annotations } = choice?.message ?? {}
  const listed = Array.isArray(annotations) && annotations.length > 0 ? annotations : undefined
  return { content: content || null, tool_calls, reasoning_content, annotations: listed, reason: choice?.finish_reason }
}

function oneLine(json: string): string {
  return JSON.stringify(JSON.parse(json))
}

async function readFrames(dialect: string, all: readonly Uint8Array[]) {
  const frames = Buffer.concat(all)
  const isBinary = dialect === 'bedrock'
  const reader = isBinary ? new AwsEventStream(bodyOf(frames)) : new EventReader(bodyOf(frames))
  const events: string[] = []
  for (let batch = await reader.next(); batch; batch = await reader.next())
    events.push(...batch.map(({ data }) => data))
  return { frames, events, isBinary }
}

async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
