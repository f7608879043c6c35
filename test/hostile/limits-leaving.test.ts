import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { RequestLine } from '../../src/contract/admin/requests.ts'
import { answer, type Behaviour } from '../fakes/behaviours.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { idle } from '../gateway/gateway-with-fakes.ts'
import { BUDGET, demandSettled, rounded } from '../gateway/leaving.ts'
import { type LimitsGateway, startLimitsGateway } from '../gateway/limits-gateway.ts'
import { CALLS, chat, GPT, CLAUDE, type Leaving, messages } from './left-chats.ts'
import { pass, passedMs, SPEED, Writer } from './silent-writer.ts'

// Callers who leave again and again: what their provider has written until then, and bills, is paid from their budget, although
// nothing of it was ever seen here.

const PROVIDERS = ['OPENAI', 'ANTHROPIC', 'GEMINI']
const WAITED_MS = 4_000
const POLL_MS = 10
const TIMES = 6
const STRICT = { ...BUDGET, onExceeded: 'refuse' }

const FIRST_WORDS = `data: ${JSON.stringify({
  id: 'a',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'a',
  choices: [{ index: 0, delta: { role: 'assistant', content: 'Well' }, finish_reason: null }],
})}\n\n`

let scene: LimitsGateway
before(async () => {
  const env = PROVIDERS.map((name) => [`${name}_API_KEY`, 'sk-fake-0123456789'])
  const monotonic = () => Math.floor(performance.now()) + passedMs()
  const config = { providers: { openai: { responses: true } } }
  scene = await startLimitsGateway({ monotonic, jobGraceMs: 0 }, Object.fromEntries(env), { moves: PROVIDERS, config })
})
after(() => scene.close())
beforeEach(() => scene.fake.reset())

test('the case that was reported: $0.05, eight answers of 600 tokens, six times', async () => {
  await scene.limit({ budgets: [{ ...STRICT, id: 'reported', limit: 0.05 }] })
  const { path, body, usdPerMillion } = CALLS['a chat with eight answers']!
  const writer = new Writer(usdPerMillion)
  const { paid, refused } = await leaveOften('reported', writer, () => leave(path, body, writer, 1))
  assert.ok(paid >= writer.produced && writer.produced <= 0.05, `${paid} ${writer.produced}`)
  assert.equal(refused, TIMES - 1)
})

test('a response in the background that is cancelled has paid what was written, streamed or not', async () => {
  for (const stream of [false, true]) {
    const id = `background-${stream}`
    await scene.limit({ budgets: [{ ...STRICT, id, limit: 0.05 }] })
    const writer = new Writer(10)
    const body = { model: GPT, input: 'Hi', max_output_tokens: 4_000, background: true, stream }
    const { paid, refused } = await leaveOften(id, writer, () => cancelled(body, writer))
    assert.ok(paid >= writer.produced && writer.produced <= 0.05, `${paid} ${writer.produced}`)
    assert.equal(refused, TIMES - 1)
  }
})

for (const isObserved of [false, true]) {
  describe(`leaving six times pays what was written (${isObserved ? 'known' : 'unknown'} speed):`, () => {
    if (isObserved) before(observe)
    for (const [what, { path, body, usdPerMillion, requests = 1 }] of Object.entries(CALLS))
      test(what, async () => {
        const reserved = await reservedFor(path, body)
        const limit = 2.5 * reserved
        const id = `${what}-${isObserved}`.replaceAll(/\W+/g, '-')
        await scene.limit({ budgets: [{ ...STRICT, id, limit }] })
        const writer = new Writer(usdPerMillion)
        const { paid, refused } = await leaveOften(id, writer, () => leave(path, body, writer, requests))
        assert.ok(writer.produced <= limit && paid <= limit, `${writer.produced} ${paid}`)
        assert.equal(refused > 0, paid + reserved > limit, `${refused} ${paid} ${reserved}`)
      })
  })
}

test('a bill is as high as the time allows, and not higher, once the speed of a model was seen', async () => {
  const [line] = await leftOnce(chat({ model: GPT, max_tokens: 16_000 }))
  const { estimated, completion_tokens: written } = line!
  assert.ok(estimated)
  assert.ok(written >= (SPEED * WAITED_MS) / 1_000 && written < 1_000, String(written))
})

test('a prompt that is cached, and a mode that is dear, have their own price for those who leave', async () => {
  const dear = { model: 'anthropic/claude-opus-4-8', max_tokens: 1_000 }
  const text = 'Tell me a long story. '.repeat(1_000)
  const marked = (cache_control?: object) => [{ role: 'user', content: [{ type: 'text', text, cache_control }] }]
  const costOf = async (path: string, body: object) => {
    const [line] = await leftOnce({ path, body: { ...dear, ...body }, usdPerMillion: 25 })
    return { total: line!.cost!, prompt: line!.cost! - (line!.completion_tokens * 25) / 1_000_000 }
  }
  for (const path of ['/v3/chat/completions', '/v3/v1/messages']) {
    const plain = await costOf(path, { messages: marked() })
    const minutes = await costOf(path, { messages: marked({ type: 'ephemeral' }) })
    const hour = await costOf(path, { messages: marked({ type: 'ephemeral', ttl: '1h' }) })
    const fast = await costOf(path, { messages: marked(), speed: 'fast' })
    const top = await costOf(path, { messages: marked(), cache_control: { type: 'ephemeral', ttl: '1h' } })
    const found = [
      minutes.prompt / plain.prompt,
      hour.prompt / plain.prompt,
      top.prompt / plain.prompt,
      fast.total / plain.total,
    ]
    assert.deepEqual(
      found.map((factor) => factor.toFixed(2)),
      ['1.25', '2.00', '2.00', '2.00'],
      path,
    )
  }
})

test('a model that thinks is paid for its silence, also after the first words of its stream', async () => {
  await scene.limit({ budgets: [{ ...BUDGET, id: 'thinks' }] })
  for (const [model, least, most] of [
    ['openai/o3', (SPEED * WAITED_MS) / 1_000, 100_000],
    [GPT, 1, 100],
  ] as const) {
    scene.fake.always((_, response) => {
      pass(WAITED_MS)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(FIRST_WORDS)
    })
    const line = await leftAfterFirstWords({ model, messages, stream: true, max_completion_tokens: 100_000 })
    const { completion_tokens: written, estimated } = line
    assert.ok(written >= least && written <= most && estimated, `${model}: ${written}`)
    scene.fake.reset()
  }
})

test('a reader that is slow and leaves has paid for what it did not read', async () => {
  await scene.limit({ budgets: [{ ...BUDGET, id: 'slow' }] })
  scene.fake.always((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(FIRST_WORDS)
  })
  const body = { model: GPT, messages, stream: true, max_tokens: 10_000 }
  const { completion_tokens: written } = await leftAfterFirstWords(body, () => pass(WAITED_MS))
  assert.ok(written >= (SPEED * WAITED_MS) / 1_000, String(written))
})

test('a provider that was given up because it took too long is paid, and the model that answered too', async () => {
  const timeouts = { openai: { headersMs: 50, firstTokenMs: 50 } }
  await scene.limit({ budgets: [{ ...BUDGET, id: 'given-up' }], timeouts })
  scene.fake.always((seen, response) => {
    const { model } = seen.body as { model: string }
    return model === 'priced' ? answer({ content: 'Hello.' })(seen, response) : pass(WAITED_MS)
  })
  const body = { model: GPT, fallbacks: ['fake/priced'], max_tokens: 600, n: 8 }
  const reply = await scene.chat(body)
  assert.equal(reply.status, 200, await reply.text())
  const paid = await paidOf('given-up')
  assert.ok(paid >= (8 * SPEED * WAITED_MS * 10) / 1_000 / 1_000_000, String(paid))
  await scene.limit({ budgets: [BUDGET], timeouts: {} })
})

test('nothing stays reserved for those who have left, and the books agree', async () => {
  await scene.limit({ budgets: [BUDGET] })
  await demandSettled(scene)
})

/** The models have answered once, at the speed of the writer. */
async function observe(): Promise<void> {
  await scene.limit({ budgets: [] })
  const tokens = SPEED * 10
  const usage = { prompt_tokens: 9, completion_tokens: tokens, total_tokens: tokens + 9 }
  const counted = { input_tokens: 9, output_tokens: tokens }
  const said = [{ type: 'text', text: 'Hello.' }]
  scene.fake.always((seen, response) => {
    pass(10_000)
    if (seen.path.includes('generateContent')) return sendJson(response, ofGemini(tokens))
    if (seen.path.endsWith('/messages'))
      return sendJson(response, {
        type: 'message',
        role: 'assistant',
        content: said,
        usage: counted,
        stop_reason: 'end_turn',
      })
    return answer({ usage })(seen, response)
  })
  for (const model of [GPT, CLAUDE, 'google/gemini-2.5-flash'])
    assert.equal((await scene.chat({ model, max_tokens: 4_000 })).status, 200)
  scene.fake.reset()
}

function ofGemini(tokens: number): object {
  const content = { role: 'model', parts: [{ text: 'Hello.' }] }
  const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: tokens, totalTokenCount: tokens + 9 }
  return { candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata }
}

function sendJson(response: Parameters<Behaviour>[1], body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** What such a call reserves, as a budget that is too small says it. */
async function reservedFor(path: string, body: object): Promise<number> {
  await scene.limit({ budgets: [{ ...STRICT, id: 'tiny', limit: 0.000001 }] })
  const reply = await scene.post(path, body)
  const text = await reply.text()
  assert.equal(reply.status, 402, text)
  const [, needed] = /may cost ([\d.]+) USD/.exec(text) ?? []
  assert.ok(needed, text)
  return Number(needed)
}

/** Leaves several times, and demands after each time that what was written is paid. */
async function leaveOften(id: string, writer: Writer, leaveOnce: () => Promise<boolean>) {
  let refused = 0
  for (let times = 0; times < TIMES; times++) {
    if (!(await leaveOnce())) refused++
    const paid = await paidOf(id)
    assert.ok(paid >= rounded(writer.produced), `${paid} was paid, ${writer.produced} was written`)
  }
  return { paid: await paidOf(id), refused }
}

/** Returns false if the call was refused. */
async function leave(path: string, body: object, writer: Writer, requests: number): Promise<boolean> {
  scene.fake.reset()
  scene.fake.always(writer.behaviour)
  const leaving = new AbortController()
  const sent = post(path, body, leaving.signal)
  const seen = await Promise.race([allSeen(requests), sent])
  if (seen instanceof Response) {
    assert.equal(seen.status, 402, await seen.text())
    return false
  }
  pass(WAITED_MS)
  writer.stop()
  leaving.abort()
  await assert.rejects(sent, { name: 'AbortError' })
  await Promise.all(seen.map(({ closed }) => closed))
  await idle(scene.gateway)
  return true
}

function allSeen(requests: number) {
  return Promise.all(Array.from({ length: requests }, (_, index) => scene.fake.request(index)))
}

async function cancelled(body: object, writer: Writer): Promise<boolean> {
  scene.fake.reset()
  scene.fake.always(writer.behaviour)
  const id = await begun(body)
  const isSeen = await Promise.race([scene.fake.request(0).then(() => true), ended(id).then(() => false)])
  if (!isSeen) return false
  pass(WAITED_MS)
  writer.stop()
  assert.equal((await scene.post(`/v3/responses/${id}/cancel`, {})).status, 200)
  await (await scene.fake.request(0)).closed
  await ended(id)
  return true
}

/** The id of a response in the background. Its events begin when its provider does, and a caller who waits for them may go. */
async function begun(body: object): Promise<string> {
  const reading = new AbortController()
  const sent = post('/v3/responses', body, reading.signal)
  await Promise.race([sent, scene.fake.request(0)])
  const { items } = (await (await scene.admin('GET', '/admin/jobs?limit=1')).json()) as { items: { id: string }[] }
  reading.abort()
  await sent.catch(() => {})
  return `resp_${items[0]!.id.replaceAll('-', '')}`
}

/** Its job has ended, and its line is written. */
async function ended(id: string): Promise<void> {
  const uuid = id.replace(/^resp_(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  const state = async () => {
    const job = (await (await scene.admin('GET', `/admin/jobs/${uuid}`)).json()) as { status?: string }
    return job.status ?? ''
  }
  while (!['success', 'fail'].includes(await state())) await setTimeout(POLL_MS)
}

async function leftOnce({ path, body }: Leaving): Promise<RequestLine[]> {
  await scene.limit({ budgets: [{ ...BUDGET, id: 'once' }] })
  const writer = new Writer(10)
  assert.ok(await leave(path, body, writer, 1))
  return await lines()
}

async function leftAfterFirstWords(body: object, until: () => void = () => {}): Promise<RequestLine> {
  const leaving = new AbortController()
  const reply = await post('/v3/chat/completions', body, leaving.signal)
  assert.equal(reply.status, 200)
  await reply.body!.getReader().read()
  until()
  leaving.abort()
  await (await scene.fake.request(0)).closed
  await idle(scene.gateway)
  return (await lines())[0]!
}

async function lines(): Promise<RequestLine[]> {
  await scene.gateway.gateway.services.calls.ledger.flush()
  const { items } = (await (await scene.admin('GET', '/admin/requests?limit=1')).json()) as { items: RequestLine[] }
  return items
}

function post(path: string, body: object, signal: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  return fetch(`${scene.gateway.url}${path}`, { method: 'POST', signal, headers, body: JSON.stringify(body) })
}

async function paidOf(id: string): Promise<number> {
  await scene.gateway.gateway.services.calls.ledger.flush()
  const { spent = 0 } = (await (await scene.admin('GET', `/admin/budgets/${id}`)).json()) as { spent?: number }
  return spent
}
