import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ChatRequest } from '../src/contract/chat.ts'
import { ChatChunk, ChatCompletion } from '../src/contract/chat-reply.ts'
import { chatBody } from '../src/contract/fixtures/chat-bodies.ts'
import { Problem } from '../src/contract/problems.ts'
import { UpstreamProblem } from '../src/translation/wire/upstream-problem.ts'
import { validator } from '../src/base/schema/validator.ts'
import type { WireEvent } from '../src/translation/wire/wire.ts'
import { GATEWAY_FIELDS } from '../src/translation/dialects/request/gateway-fields.ts'
import type { ChatCodec, Target } from '../src/translation/dialects/chat-codec.ts'
import { DIALECT_NAMES, type DialectName, DIALECTS } from '../src/translation/dialects/index.ts'
import { settleEnds } from '../src/translation/dialects/answer/whole-answer.ts'
import { outline } from '../src/translation/json/outline.ts'
import { AwsEventStream } from '../src/platform/net/aws-event-stream.ts'
import { EventReader } from '../src/platform/net/event-reader.ts'
import { attempt, bodyOf, comparable } from './fakes/encoded-chat.ts'
import { BESIDE, EVERY_FIELD, GATEWAY_FIELDS_SENT } from './fakes/every-field.ts'
import { foldChunks } from './fakes/fold-chunks.ts'
import { mutated } from './fakes/mutated.ts'
import { DIALECT_SAMPLES, type Recording } from './fakes/recordings.ts'
import { sample, someOf } from './soak/sample.ts'

// The rules that every dialect must obey; data-conformance.test.ts has the rules for data. A new dialect only has to add
// its recordings (fakes/recordings.ts).

const TARGET: Target = { baseUrl: 'https://provider.test/v1', model: 'model' }
const TARGETS: Target[] = [
  TARGET,
  { ...TARGET, model: 'eu.anthropic.claude-test-v1:0', traits: { thinking: { by: 'budget' }, cacheMinTokens: 8 } },
  { ...TARGET, model: 'amazon.nova-2-lite-v1:0', traits: { thinking: { by: 'level', efforts: ['low', 'high'] } } },
  { ...TARGET, traits: { thinking: { by: 'adaptive', always: true }, prefill: false, refuses: ['tool_choice'] } },
  { ...TARGET, traits: { thinking: { by: 'none' }, lacks: ['system', 'json_schema'], refuses: ['seed', 'stop'] } },
  { ...TARGET, baseUrl: 'https://eu.test/v1/projects/p/locations/l/publishers/google' },
  { ...TARGET, fieldRules: { drop: ['user'], rename: { seed: 'random_seed' }, defaults: { top_p: 0.5 } } },
]
/** A stream is cut at every so many bytes, and recordings take turns with the sizes of their pieces. */
const STEP = sample(101, 31)
let turn = 0
const completions = validator(ChatCompletion)
const chunksOfContract = validator(ChatChunk)

for (const name of DIALECT_NAMES)
  describe(`the dialect ${name}`, () => {
    const { chat } = DIALECTS[name]
    const { recordings } = DIALECT_SAMPLES[name]

    test('has recordings', () => assert.ok(recordings.length >= 4))
    for (const recording of recordings) describe(recording.name, () => streamRules(name, chat, recording))
    encodingRules(chat)

    test('every field of the contract is passed on, translated, noted, refused, or handled by the gateway', () => {
      const fields = [...Object.keys(EVERY_FIELD), ...GATEWAY_FIELDS_SENT, 'model', 'messages']
      assert.deepEqual(fields.toSorted(), Object.keys(ChatRequest.properties).toSorted())
      for (const target of TARGETS.slice(0, 3))
        for (const field of Object.keys(EVERY_FIELD) as (keyof typeof EVERY_FIELD)[])
          assert.ok(leavesTrace(chat, field, target), `${field} at ${target.model}`)
    })

    test('whatever a provider sends, decoding gives a reply or an UpstreamProblem', () => {
      const nonsense = fc.oneof(
        fc.string(),
        fc.json(),
        fc.constantFrom('', '[DONE]', '{"error":{}}', '{"type":"error"}'),
      )
      fc.assert(
        fc.property(fc.constantFrom(...recordings), mutated, nonsense, ({ whole, request }, mutate, text) => {
          for (const sent of [text, mutate(whole)]) {
            neverSurprised(() => chat.decode(sent))
            neverSurprised(() => chat.decoder(request).feed({ data: sent }))
            assert.ok(chat.problem(500, sent) instanceof UpstreamProblem)
          }
        }),
        { numRuns: sample(15, 5_000) },
      )
    })

    test('whatever becomes of one event of a stream, the others are read', async () => {
      const streams = await Promise.all(
        recordings.map(({ frames, request }) => eventsOf(chat, frames).then((events) => ({ events, request }))),
      )
      fc.assert(
        fc.property(fc.constantFrom(...streams), fc.nat(), mutated, ({ events, request }, which, mutate) => {
          const decoder = chat.decoder(request)
          for (const [at, event] of events.entries()) {
            const data = at === which % events.length ? mutate(event.data) : event.data
            if (!neverSurprised(() => decoder.feed({ ...event, data }))) return
          }
        }),
        { numRuns: sample(15, 5_000) },
      )
    })
  })

function streamRules(name: DialectName, chat: ChatCodec, { request, whole, frames, compat }: Recording) {
  const { noise, error } = DIALECT_SAMPLES[name]
  const bytes = Buffer.concat(frames)

  test('the chunks fold to the whole reply, and both are of the contract', async () => {
    const { chunks, ended, malformed } = await read([bytes])
    const completion = settleEnds(chat.decode(whole, { compat }), compat?.endsWithoutReason)
    assert.deepEqual(plain(foldChunks(chunks)), plain(completion))
    assert.deepEqual({ ended, malformed }, { ended: true, malformed: 0 })
    // Values that the gateway adds if a provider does not send them.
    const gateway = { id: 'id', created: 1, model: 'm' }
    assert.ok(completions.check({ ...gateway, ...completion }))
    for (const chunk of chunks) assert.ok(chunksOfContract.check({ ...gateway, ...chunk }), JSON.stringify(chunk))
  })

  test('bytes cut anywhere give the same chunks', async () => {
    const { chunks } = await read([bytes])
    for (const size of someOf([1, 7, 64], turn++, 1))
      assert.deepEqual((await read(cutEvery(bytes, size))).chunks, chunks)
    if (chat.framing === 'aws-event-stream') return
    assert.deepEqual((await read([Buffer.from(String(bytes).replaceAll('\n', '\r\n'))])).chunks, chunks)
  })

  test('a stream that was cut never looks finished', async () => {
    const { complete, end } = await completion()
    const edges = frames.map((_, at) => sizeOf(frames.slice(0, at)))
    const lengths = new Set([...edges, complete - 1, ...Array.from({ length: complete / STEP }, (_, at) => at * STEP)])
    for (const length of lengths)
      if (length < complete)
        assert.equal((await read([bytes.subarray(0, length)])).ended, false, `after ${length} bytes`)
    assert.equal((await read([bytes.subarray(0, end)])).ended, true)
  })

  test('unknown events are passed over, wherever they come', async () => {
    const noisy = Buffer.concat(frames.flatMap((frame) => [...noise, frame]))
    assert.deepEqual((await read([noisy])).chunks, (await read([bytes])).chunks)
  })

  test('the role comes first and once, one finish reason last, calls are numbered from 0 and keep their number', async () => {
    const { chunks } = await read([bytes])
    const choices = chunks.flatMap((chunk) => chunk.choices)
    for (const own of Object.values(Object.groupBy(choices, ({ index }) => index))) {
      assert.deepEqual(own!.map(({ delta }) => delta.role === 'assistant').indexOf(true), 0)
      assert.equal(own!.filter(({ delta }) => delta.role).length, 1)
      assert.deepEqual(
        own!.flatMap(({ finish_reason }, at) => (finish_reason ? [at] : [])),
        [own!.length - 1],
      )
      numbered(own!.flatMap(({ delta }) => delta.tool_calls ?? []))
    }
  })

  test('an error throws at whatever point it comes', async () => {
    const events = await eventsOf(chat, frames)
    const [broken] = await eventsOf(chat, [error])
    for (let said = 0; said < events.length; said++) {
      const decoder = chat.decoder(request, { compat })
      for (const event of events.slice(0, said)) decoder.feed(event)
      if (!decoder.done) assert.throws(() => decoder.feed(broken!), UpstreamProblem, `after ${said} events`)
    }
  })

  async function read(pieces: Uint8Array[]) {
    const decoder = chat.decoder(request, { compat })
    const chunks = (await eventsOf(chat, pieces)).flatMap((event) => decoder.feed(event))
    return { chunks, ended: decoder.ended, malformed: decoder.malformed }
  }

  /** Finds the frame after which the decoder considers the reply complete. The blank line after an event may be missing. */
  async function completion() {
    const decoder = chat.decoder(request, { compat })
    for (const [at, frame] of frames.entries()) {
      for (const event of await eventsOf(chat, [frame])) decoder.feed(event)
      const end = sizeOf(frames.slice(0, at + 1))
      if (decoder.ended) return { end, complete: chat.framing === 'aws-event-stream' ? end : end - '\n\n'.length }
    }
    throw new Error('this recording never ends')
  }
}

function encodingRules(chat: ChatCodec) {
  test('encoding is pure: twice the same, or twice the same refusal, and the request is left as it was', () => {
    everyBody((request, target) => {
      const before = JSON.stringify(request)
      const encoded = () => comparable(attempt(chat, { request }, target))
      assert.deepEqual(encoded(), encoded())
      assert.equal(JSON.stringify(request), before)
    })
  })

  test('encoding is pure also where a part of the prompt is to be cached', () => {
    const part = { type: 'text' as const, text: 'x '.repeat(9_000), cache_control: { type: 'ephemeral' as const } }
    const request: ChatRequest = { model: 'm', messages: [user([part]), user('Hi')] }
    for (const target of TARGETS) {
      const encoded = () => comparable(attempt(chat, { request }, target))
      assert.deepEqual(encoded(), encoded())
    }
  })

  test('the text of a request and its value encode to the same body', () => {
    everyBody((request, target) => {
      const text = JSON.stringify(request)
      const fromText = attempt(chat, { request: JSON.parse(text), source: { text, outline: outline(text) } }, target)
      assert.deepEqual(bodyOf(fromText), bodyOf(attempt(chat, { request }, target)))
    })
  })

  test('no field of the gateway and no null reaches the wire; a refusal names its field', () => {
    everyBody((request, target) => {
      const sent = attempt(chat, { request }, target)
      if (sent instanceof Problem) return assert.equal(sent.details.detail?.[0]?.loc[0], 'body')
      const body = bodyOf(sent)
      const extra = new Set(Object.keys(request.extra_body ?? {}))
      for (const field of GATEWAY_FIELDS) assert.ok(!(field in body) || extra.has(field), field)
      for (const field in body) assert.ok(body[field] !== null || extra.has(field), field)
    })
  })
}

/**
 * Most dialects refuse most random bodies (an image that is not a URL, a result without a call). These bodies are accepted.
 */
const sendable = chatBody.map((body) => {
  const speech = body.messages.filter(({ role }) => role !== 'tool' && role !== 'function')
  const plainly = speech.map(({ role, content }) => ({ role, content: typeof content === 'string' ? content : 'so' }))
  const messages = [...plainly, { role: 'user', content: 'Hi' }]
  return { ...body, messages, tools: [], functions: [{ name: 'f' }], n: 2, tool_choice: 'auto' }
})

function everyBody(holds: (request: ChatRequest, target: Target) => void) {
  const bodies = fc.oneof(chatBody, sendable)
  fc.assert(
    fc.property(bodies, fc.constantFrom(...TARGETS), (body, target) => {
      holds(frozen(structuredClone(body)) as unknown as ChatRequest, target)
    }),
    { numRuns: sample(15, 200) },
  )
}

function user(content: ChatRequest['messages'][number]['content']): ChatRequest['messages'][number] {
  return { role: 'user', content }
}

/** Whether the presence of a field makes a difference. */
function leavesTrace(chat: ChatCodec, field: keyof typeof EVERY_FIELD, target: Target): boolean {
  const plainly = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }], ...BESIDE[field] }
  const without = attempt(chat, { request: plainly }, target)
  const request = attempt(chat, { request: { ...plainly, [field]: EVERY_FIELD[field] } }, target)
  if (request instanceof Problem || without instanceof Problem) return true
  return request.wire.body !== without.wire.body || request.notes.some((note) => note.field === field)
}

async function eventsOf({ framing }: ChatCodec, pieces: Uint8Array[]): Promise<WireEvent[]> {
  const reader = framing === 'aws-event-stream' ? new AwsEventStream(from(pieces)) : new EventReader(from(pieces))
  const events: WireEvent[] = []
  for (let batch = await reader.next(); batch; batch = await reader.next()) events.push(...batch)
  return events
}

async function* from(pieces: Uint8Array[]) {
  yield* pieces
}

function numbered(fragments: { index: number; id?: string | null | undefined }[]) {
  const begun = fragments.filter(({ id }) => id)
  assert.deepEqual(
    begun.map(({ index }) => index),
    begun.map((_, at) => at),
  )
  assert.equal(new Set(begun.map(({ id }) => id)).size, begun.length)
  const seen = new Set<number>()
  for (const { index, id } of fragments) {
    if (id) seen.add(index)
    assert.ok(seen.has(index), `a piece of call ${index} comes before the call`)
  }
}

function cutEvery(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}

function sizeOf(frames: Uint8Array[]): number {
  return frames.reduce((sum, { length }) => sum + length, 0)
}

/** The value as a client sees it: undefined fields are not sent. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}

/** Whether the action succeeded. Errors other than expected ones fail the test. */
function neverSurprised(act: () => unknown): boolean {
  try {
    act()
    return true
  } catch (error) {
    assert.ok(error instanceof UpstreamProblem, String(error))
    return false
  }
}
