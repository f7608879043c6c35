import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { loadCatalog } from '../src/catalog/catalog.ts'
import { readProviders } from '../src/config/provider-settings.ts'
import type { ChatRequest } from '../src/contract/chat.ts'
import type { ChatChunk } from '../src/contract/chat-reply.ts'
import { chatBody } from '../src/contract/fixtures/chat-bodies.ts'
import { UpstreamProblem } from '../src/contract/upstream-problem.ts'
import type { ChatFace, Dialect } from '../src/dialects/dialect.ts'
import { DIALECTS } from '../src/dialects/index.ts'
import { outline } from '../src/json/outline.ts'
import { EventReader } from '../src/net/event-reader.ts'
import { PROVIDERS } from '../src/providers/providers.ts'
import { foldChunks } from './fakes/fold-chunks.ts'
import { interleavedChoices, reasoningEvents, textEvents, toolEvents } from './fakes/openai-events.ts'

// What every dialect and every row must obey. A new dialect brings its recordings here and gets the laws for free.

const REQUEST: ChatRequest = { model: 'any/model', messages: [{ role: 'user', content: 'Hi' }], stream: true }
const TARGET = { baseUrl: 'https://provider.test/v1', model: 'model', credential: 'secret' }

type Recording = { name: string; request: ChatRequest; text: string }

const RECORDINGS: Record<keyof typeof DIALECTS, Recording[]> = {
  openai: [
    recording('text', textEvents('Grüße aus 東京 🗼, and a "quoted" line\nbreak')),
    recording(
      'tools',
      toolEvents([
        { id: 'call_1', name: 'weather', arguments: '{"city":"Zürich"}' },
        { id: 'call_2', name: 'time', arguments: '{}' },
      ]),
    ),
    recording('two choices', interleavedChoices(2), { ...REQUEST, n: 2 }),
    recording('reasoning', reasoningEvents('Let me think', 'Done')),
  ],
}

for (const [name, dialect] of Object.entries(DIALECTS) as [keyof typeof DIALECTS, Dialect][]) {
  describe(`the dialect ${name}`, () => {
    const { chat } = dialect
    for (const { name: title, request, text } of RECORDINGS[name]) streamLaws(chat, title, request, text)

    test('encoding is pure: twice the same, and the request is left as it was', () => {
      fc.assert(
        fc.property(chatBody, (body) => {
          const request = body as unknown as ChatRequest
          const before = JSON.stringify(request)
          assert.deepEqual(chat.encode({ request }, TARGET), chat.encode({ request }, TARGET))
          assert.equal(JSON.stringify(request), before)
        }),
        { numRuns: 200 },
      )
    })

    test('the text of a request and its value encode to the same body', () => {
      fc.assert(
        fc.property(chatBody, (body) => {
          const request = body as unknown as ChatRequest
          const text = JSON.stringify(request)
          const fromText = chat.encode({ request: JSON.parse(text), source: { text, outline: outline(text) } }, TARGET)
          assert.deepEqual(
            JSON.parse(String(fromText.wire.body)),
            JSON.parse(String(chat.encode({ request }, TARGET).wire.body)),
          )
        }),
        { numRuns: 200 },
      )
    })

    test('no field of the gateway and no null reaches the wire', () => {
      fc.assert(
        fc.property(chatBody, (body) => {
          const wire = JSON.parse(String(chat.encode({ request: body as unknown as ChatRequest }, TARGET).wire.body))
          const ours = ['fallbacks', 'router_candidates', 'pre_hooks', 'post_hooks', 'extra_body', 'extra_headers']
          const extra = Object.keys((body.extra_body ?? {}) as object)
          for (const field of ours) assert.ok(!(field in wire) || extra.includes(field))
          for (const field in wire) assert.ok(wire[field] !== null || extra.includes(field), field)
        }),
        { numRuns: 200 },
      )
    })

    test('whatever a provider sends, decoding gives a reply or an UpstreamProblem', () => {
      const anything = fc.oneof(
        fc.string(),
        fc.json(),
        fc.constantFrom('', '[DONE]', '{"error":{}}', '{"choices":[]}', '{"choices":[null]}'),
      )
      fc.assert(
        fc.property(anything, (text) => {
          neverSurprised(() => chat.decode(text))
          neverSurprised(() => chat.decoder(REQUEST).feed({ data: text }))
          assert.ok(chat.problem(500, text) instanceof UpstreamProblem)
        }),
        { numRuns: 500 },
      )
    })
  })
}

describe('the data', () => {
  const providers = readProviders({}, {})
  const catalog = loadCatalog(providers)

  test('every model has a provider row, a unique id and prices that are not negative', () => {
    const ids = catalog.list().map(({ provider, id }) => `${provider}/${id}`)
    assert.equal(new Set(ids).size, ids.length)
    for (const { provider, price } of catalog.list()) {
      assert.ok(Object.hasOwn(PROVIDERS, provider), provider)
      if (price)
        for (const rate of Object.values(price).filter((value) => typeof value === 'number')) assert.ok(rate >= 0)
    }
  })

  test('every provider row speaks a known dialect, at a valid address, with a variable of its own', () => {
    const variables = Object.values(PROVIDERS).flatMap(({ auth }) => auth.env ?? [])
    assert.equal(new Set(variables).size, variables.length)
    for (const [id, row] of Object.entries(PROVIDERS)) {
      assert.match(id, /^[a-z0-9_-]+$/)
      assert.ok(Object.hasOwn(DIALECTS, row.dialect))
      assert.ok(URL.canParse(row.baseUrl) && !row.baseUrl.endsWith('/'), id)
    }
  })
})

function streamLaws(chat: ChatFace, title: string, request: ChatRequest, text: string) {
  const bytes = new TextEncoder().encode(text)

  test(`${title}: bytes cut anywhere give the same chunks`, async () => {
    const whole = await decode([bytes])
    assert.deepEqual(await decode(cutEvery(bytes, 1)), whole)
    assert.deepEqual(await decode(cutEvery(bytes, 7)), whole)
    assert.deepEqual(await decode([new TextEncoder().encode(text.replaceAll('\n', '\r\n'))]), whole)
  })

  test(`${title}: a stream that was cut never looks finished`, async () => {
    const terminal = bytesUntilComplete()
    for (let length = 1; length < bytes.length; length += 11) {
      const { ended } = await decode([bytes.subarray(0, length)])
      if (length < terminal) assert.equal(ended, false, `cut after ${length} of ${bytes.length} bytes`)
    }
    assert.equal((await decode([bytes])).ended, true)
  })

  test(`${title}: unknown events are passed over, and the chunks fold to a reply`, async () => {
    const noisy = `: comment\n\nevent: unheard-of\ndata: {"type":"unheard-of"}\n\n${text}`
    const { chunks } = await decode([new TextEncoder().encode(noisy)])
    assert.deepEqual(foldChunks(chunks), foldChunks((await decode([bytes])).chunks))
  })

  async function decode(pieces: Uint8Array[]): Promise<{ chunks: ChatChunk[]; ended: boolean }> {
    const decoder = chat.decoder(request)
    const chunks: ChatChunk[] = []
    const events = new EventReader(from(pieces))
    for (let batch = await events.next(); batch; batch = await events.next())
      chunks.push(...batch.flatMap((event) => decoder.feed(event)))
    return { chunks, ended: decoder.ended }
  }

  /** Where the last finish reason has been sent in full. */
  function bytesUntilComplete(): number {
    const end = text.lastIndexOf('"finish_reason":"')
    return new TextEncoder().encode(text.slice(0, text.indexOf('}]', end) + 2)).length
  }
}

function recording(name: string, events: object[], request = REQUEST): Recording {
  const lines = [...events.map((event) => JSON.stringify(event)), '[DONE]']
  return { name, request, text: lines.map((line) => `data: ${line}\n\n`).join('') }
}

function cutEvery(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}

async function* from(pieces: Uint8Array[]) {
  yield* pieces
}

function neverSurprised(act: () => unknown) {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof UpstreamProblem, String(error))
  }
}
