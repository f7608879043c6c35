import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { status } from '../../fakes/behaviours.ts'
import { type FakeProvider, type SeenRequest, startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// A mark of a caller becomes a block that Google keeps: created once, named by later requests, and never shared by owners.

type Fields = Record<string, unknown>
type Reply = Fields & { gatehouse: { notes: { field: string; reason: string }[] } }

const TOKENS = 100_000
const MARK = { cache_control: { type: 'ephemeral' } }

let fake: FakeProvider
let gateway: GatewayUnderTest
let otherKey: string
let clock = 0
let letters = 0
before(async () => {
  fake = await startFakeProvider({ everyPath: true })
  const env = { GEMINI_BASE_URL: fake.url, GEMINI_API_KEY: 'AIza-fake-0123456789' }
  gateway = await startGateway({ env, overrides: { now, monotonic: () => Math.floor(performance.now()) + clock } })
  const made = await fetch(`${gateway.adminUrl}/admin/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'other', owner: 'another' }),
  })
  otherKey = ((await made.json()) as { key: string }).key
})
beforeEach(() => {
  fake.reset()
  fake.always(google())
})
after(async () => {
  await gateway.close()
  await fake.close()
})

test('the block is created, used, and paid by the call that created it', async () => {
  const ask = about(newText())
  const first = await asked(ask)
  assert.deepEqual(paths(), ['cachedContents', 'generateContent'])
  const [created, used] = fake.requests.map(({ body }) => body as Fields)
  assert.deepEqual([created!.model, created!.ttl], ['models/gemini-2.5-flash', '300s'])
  assert.deepEqual(used, { contents: [{ role: 'user', parts: [{ text: 'Why?' }] }], cachedContent: 'cachedContents/1' })
  // 100,000 tokens written for 0.30 USD a million, stored for five minutes at 1 USD an hour, and read for 0.03 USD.
  const [written, stored, read] = [0.03, 0.1 / 12, 0.003]
  assert.equal(Number(first.cost).toFixed(9), (written + stored + read).toFixed(9))
  assert.deepEqual(first.gatehouse.notes, [])
  const second = await asked(ask)
  assert.deepEqual(paths(), ['cachedContents', 'generateContent', 'generateContent'])
  assert.equal(second.cost, read)
})

test('a file that is read while it is sent is recognised by its content', async () => {
  const form = new FormData()
  form.append('file', new Blob([`%PDF-1.7\n${'x'.repeat(300_000)}`], { type: 'application/pdf' }), 'a.pdf')
  form.append('purpose', 'assistants')
  const headers = { authorization: `Bearer ${API_KEY}` }
  const upload = await fetch(`${gateway.url}/v3/upload`, { method: 'POST', headers, body: form })
  const { file_id } = (await upload.json()) as { file_id: string }
  const content = [
    { type: 'file', file: { file_id }, ...MARK },
    { type: 'text', text: 'Why?' },
  ]
  const ask = { model: 'google/gemini-2.5-flash', messages: [{ role: 'user', content }] }
  await asked(ask)
  await asked(ask)
  assert.deepEqual(paths(), ['cachedContents', 'generateContent', 'generateContent'])
  assert.ok(JSON.stringify(fake.requests[0]!.body).length > 400_000)
})

test('if the caller leaves while the block is created, the block is paid in a line of its own, once', async () => {
  const { promise: isLet, resolve: letCreate } = Promise.withResolvers<void>()
  const created = status(200, { name: 'cachedContents/7', usageMetadata: { totalTokenCount: TOKENS } })
  fake.always(
    google({
      create: async (request, response) => {
        await isLet
        return created(request, response)
      },
    }),
  )
  const ask = about(newText())
  const leave = new AbortController()
  const left = post(ask, API_KEY, leave.signal)
  await fake.request(0)
  leave.abort()
  await assert.rejects(left, { name: 'AbortError' })
  await lineWith(({ status }) => status === 499)
  letCreate()
  const { cost } = await lineWith(({ id }) => id.includes('-cache-'))
  assert.equal(Number(cost).toFixed(9), (0.03 + 0.1 / 12).toFixed(9))
  fake.always(google())
  assert.equal((await asked(ask)).cost, 0.003)
  assert.equal(paths().filter((path) => path === 'cachedContents').length, 1)
})

type Line = { id: string; status: number; cost: number | null }

/** Waits for a line of the ledger. */
async function lineWith(isWanted: (line: Line) => boolean): Promise<Line> {
  const { ledger, db } = gateway.gateway.services.calls
  for (;;) {
    await ledger.flush()
    const found = (await db.query<Line>('SELECT id, status, cost_nanos / 1000000000.0 AS cost FROM usage')).find(
      isWanted,
    )
    if (found) return found
    await setImmediate()
  }
}

test('a stream uses it too', async () => {
  const ask = about(newText())
  await asked(ask)
  const reply = await post({ ...ask, stream: true })
  assert.match(await reply.text(), /Hi\./)
  assert.deepEqual(paths(), ['cachedContents', 'generateContent', 'streamGenerateContent'])
  assert.equal((fake.requests.at(-1)!.body as Fields).cachedContent, 'cachedContents/1')
})

test('it is created once for calls that come together, and again when its time is over', async () => {
  const ask = about(newText())
  await Promise.all([asked(ask), asked(ask), asked(ask)])
  assert.equal(paths().filter((path) => path === 'cachedContents').length, 1)
  clock += 301_000
  await asked(ask)
  assert.equal(paths().filter((path) => path === 'cachedContents').length, 2)
})

test('another owner gets a block of its own', async () => {
  const ask = about(newText())
  await asked(ask)
  await asked(ask, otherKey)
  assert.equal(paths().filter((path) => path === 'cachedContents').length, 2)
  const names = fake.requests.map(({ body }) => (body as Fields).cachedContent).filter(Boolean)
  assert.deepEqual(names, ['cachedContents/1', 'cachedContents/2'])
})

test('without a price for storage the cost of the first call is unknown', async () => {
  const ask = { ...about(newText(3)), model: 'google/gemini-3.5-flash' }
  assert.equal((await asked(ask)).cost, null)
  assert.equal((await asked(ask)).cost, 0.015)
})

const REFUSALS = {
  'too little': status(400, {
    error: { code: 400, message: 'Cached content is too small.', status: 'INVALID_ARGUMENT' },
  }),
  'an error': status(500, { error: { code: 500, message: 'Internal error.' } }),
  nonsense: status(200, { ok: true }),
}
for (const [name, refusal] of Object.entries(REFUSALS))
  test(`a block that is not created fails no call, with a note: ${name}`, async () => {
    fake.always(google({ create: refusal }))
    const ask = about(newText())
    const reply = await asked(ask)
    assert.deepEqual(paths(), ['cachedContents', 'generateContent'])
    assert.equal((fake.requests[1]!.body as { contents: { parts: object[] }[] }).contents[0]!.parts.length, 2)
    assert.deepEqual(
      reply.gatehouse.notes.map(({ field }) => field),
      ['cache_control'],
    )
    await asked(ask)
    assert.equal(paths().filter((path) => path === 'cachedContents').length, 1)
  })

test('a block that may have been created is paid as an estimate, which is not in the cost of the answer', async () => {
  const answered: unknown[] = []
  const estimated: number[] = []
  for (const create of [REFUSALS['too little'], REFUSALS.nonsense]) {
    fake.always(google({ create }))
    const before = await estimates()
    answered.push((await asked(about(newText()))).cost)
    estimated.push((await estimates()) - before)
  }
  assert.equal(answered[0], answered[1])
  assert.deepEqual(estimated, [0, 1])
})

/** How many lines of the ledger are estimates. */
async function estimates(): Promise<number> {
  const { ledger, db } = gateway.gateway.services.calls
  await ledger.flush()
  return (await db.query<{ estimated: unknown }>('SELECT estimated FROM usage')).filter((line) => line.estimated).length
}

test('if the provider lost the block, the request is sent as a whole, and the block is created again later', async () => {
  const ask = about(newText())
  await asked(ask)
  fake.always(google({ lost: true }))
  const reply = await asked(ask)
  assert.equal((reply.choices as { message: Fields }[])[0]!.message.content, 'Hi.')
  assert.equal(reply.gatehouse.notes[0]?.field, 'cache_control')
  fake.always(google())
  await asked(ask)
  assert.equal(paths().filter((path) => path === 'cachedContents').length, 2)
})

test('a refusal for another reason is the answer, and the block stays', async () => {
  const ask = about(newText())
  await asked(ask)
  fake.always(status(400, { error: { code: 400, message: 'Bad temperature.', status: 'INVALID_ARGUMENT' } }))
  const refused = await post(ask)
  assert.equal(refused.status, 400)
  assert.match(await refused.text(), /Bad temperature/)
  fake.always(google())
  await asked(ask)
  assert.equal(paths().filter((path) => path === 'cachedContents').length, 1)
})

test('too little to be cached is noted, and not tried', async () => {
  const { gatehouse } = await asked(about('Short.'))
  assert.deepEqual(paths(), ['generateContent'])
  assert.match(gatehouse.notes[0]!.reason, /too short/)
})

function now(): number {
  return Date.now() + clock
}

/** A text that no other test has sent. */
function newText(times = 1): string {
  return `Part ${++letters}. ${'All of it. '.repeat(1000 * times)}`
}

function about(words: string) {
  const content = [
    { type: 'text', text: words, ...MARK },
    { type: 'text', text: 'Why?' },
  ]
  return { model: 'google/gemini-2.5-flash', messages: [{ role: 'user', content }] }
}

type Options = { create?: ReturnType<typeof status>; lost?: boolean }

/** Google, as far as caches are concerned. */
function google({ create, lost }: Options = {}) {
  return (request: SeenRequest, response: ServerResponse) => {
    const { cachedContent } = request.body as Fields
    const count = paths().filter((path) => path === 'cachedContents').length
    const made = { name: `cachedContents/${count}`, usageMetadata: { totalTokenCount: TOKENS } }
    if (pathOf(request) === 'cachedContents') return (create ?? status(200, made))(request, response)
    const gone = { error: { code: 403, message: 'CachedContent not found', status: 'PERMISSION_DENIED' } }
    if (cachedContent && lost) return status(403, gone)(request, response)
    const reply = {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: TOKENS,
        ...(cachedContent ? { cachedContentTokenCount: TOKENS } : {}),
        candidatesTokenCount: 0,
        totalTokenCount: TOKENS,
      },
    }
    const behaviour = pathOf(request) === 'generateContent' ? status(200, reply) : stream([reply], { end: 'clean' })
    return behaviour(request, response)
  }
}

function paths(): string[] {
  return fake.requests.map(pathOf)
}

function pathOf({ path }: SeenRequest): string {
  return path.split('?')[0]!.split(/[/:]/).at(-1)!
}

async function asked(body: object, key = API_KEY): Promise<Reply> {
  const reply = await post(body, key)
  assert.equal(reply.status, 200)
  return (await reply.json()) as Reply
}

function post(body: object, key = API_KEY, signal?: AbortSignal): Promise<Response> {
  return fetch(`${gateway.url}/v3/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-gatehouse-metadata': 'enabled',
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}
