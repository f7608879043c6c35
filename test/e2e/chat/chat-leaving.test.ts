import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Behaviour, answer, failure, hangAfterHeaders, silence } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { ASK, readStream } from '../../gateway/chat-client.ts'
import { ADMIN_KEY } from '../../gateway/gateway-under-test.ts'
import { gatewayForAll } from '../../gateway/gateway-with-fakes.ts'
import { holdBack, openUnread } from '../../gateway/slow-readers.ts'
import { sample } from '../../soak/sample.ts'

// Clients that leave before their answer is complete, and that read slowly. Whether their answers are mixed up is in
// test/rehearse/storms.

const setup = await gatewayForAll()
const { chat, openai, fake, gateway } = setup

const MOMENTS = sample(10, 30)
const NEVER = new Promise<void>(() => {})
const WITH_FALLBACKS = { ...ASK, fallbacks: ['fake/priced', 'fake/second'] }

const SLOW_READERS = 2
const CYCLES = sample(50, 300)
const AT_ONCE = 50
const FEW_SOCKETS = AT_ONCE

type Wait = { stream: boolean; behaviour: Behaviour }

const WAITS: Record<string, Wait> = {
  'for a whole answer': { stream: false, behaviour: silence() },
  'for the rest of a whole answer': { stream: false, behaviour: hangAfterHeaders('application/json') },
  'for the headers of a stream': { stream: true, behaviour: silence() },
  'for the first token': { stream: true, behaviour: hangAfterHeaders() },
  'for the first token, after comments': {
    stream: true,
    behaviour: stream([': one\n\n', ': two\n\n'], { end: 'clean', waitFor: NEVER, waitAfter: 2 }),
  },
}

for (const [what, { stream, behaviour }] of Object.entries(WAITS)) {
  test(`leaving while waiting ${what} disconnects from the provider, and no other is tried`, async () => {
    openai.next(behaviour)
    const leave = new AbortController()
    const answered = chat
      .post({ ...WITH_FALLBACKS, stream }, { signal: leave.signal })
      .then((response) => response.text())
    const seen = await openai.request(0)
    leave.abort()
    await assert.rejects(answered, { name: 'AbortError' })
    assert.equal(await seen.closed, true)
    await setup.idle()
    assert.deepEqual([openai.requests.length, fake.requests.length], [1, 0])
  })
}

test(`leaving at ${MOMENTS} random moments of a stream: the provider is always hung up on`, async () => {
  openai.always(stream(textEvents('word '.repeat(300)), { pauseMs: 1 }))
  await Promise.all(Array.from({ length: MOMENTS }, () => leaveAfter(1 + Math.floor(Math.random() * 40))))
  assert.equal(openai.requests.length, MOMENTS)
  for (const { closed } of openai.requests) assert.equal(await closed, true)
})

for (const streamed of [false, true]) {
  test(`leaving during a fallback: the next one is not tried (stream: ${streamed})`, async () => {
    openai.next(failure(500))
    fake.always(silence())
    const leave = new AbortController()
    const answered = chat.post({ ...WITH_FALLBACKS, stream: streamed }, { signal: leave.signal })
    const seen = await fake.request(0)
    leave.abort()
    await assert.rejects(answered, { name: 'AbortError' })
    assert.equal(await seen.closed, true)
    await setup.idle()
    assert.deepEqual([openai.requests.length, fake.requests.length], [1, 1])
  })
}

test('a stream that its client left has a line in the ledger: 499, with estimated tokens', async () => {
  const before = await usageOf('openai/gpt-4.1-nano')
  const [opening, ...rest] = textEvents(`${'x'.repeat(400)} more`)
  openai.next(stream([opening!, rest[0]!, ...rest], { waitFor: NEVER, waitAfter: 2 }))
  const lines = linesWith(499)
  await leaveAfter(2, { model: 'openai/gpt-4.1-nano' })
  assert.equal(await (await openai.request(0)).closed, true)
  await setup.idle()
  const now = await usageOf('openai/gpt-4.1-nano')
  assert.deepEqual([now.requests - before.requests, now.failed_requests - before.failed_requests], [1, 1])
  const written = now.completion_tokens - before.completion_tokens
  assert.ok(written >= 100, String(written))
  assert.ok(now.prompt_tokens > before.prompt_tokens)
  assert.ok(now.cost > before.cost)
  const [line] = linesWith(499).slice(lines.length)
  assert.deepEqual([line?.code, line?.estimated, line?.completion_tokens], ['client_gone', true, written])
})

test('a client that leaves just before the end pays what the provider counted', async () => {
  const events = textEvents('Hello', { usage: { prompt_tokens: 90, completion_tokens: 70, total_tokens: 160 } })
  openai.next(stream(events, { chunking: 'whole', end: 'clean', waitFor: NEVER, waitAfter: 1 }))
  // The end of an answer is passed on when the stream has ended, so this is all that the client gets before it.
  await leaveAfter(events.length - 2, { model: 'openai/gpt-4.1-mini' })
  assert.equal(await (await openai.request(0)).closed, true)
  await setup.idle()
  const { requests, failed_requests, prompt_tokens, completion_tokens } = await usageOf('openai/gpt-4.1-mini')
  assert.deepEqual([requests, failed_requests, prompt_tokens, completion_tokens], [1, 1, 90, 70])
})

test('a client that leaves before an answer pays the prompt, and all that the provider may have written', async () => {
  for (const stream of [false, true]) {
    openai.next(silence())
    const leave = new AbortController()
    const answered = chat.post({ ...ASK, model: 'openai/gpt-4.1', stream, max_tokens: 50 }, { signal: leave.signal })
    await openai.request(stream ? 1 : 0)
    leave.abort()
    await assert.rejects(answered)
    await openai.requests.at(-1)!.closed
  }
  await setup.idle()
  const { requests, failed_requests, prompt_tokens, completion_tokens, cost } = await usageOf('openai/gpt-4.1')
  assert.deepEqual([requests, failed_requests, completion_tokens], [2, 2, 100])
  assert.ok(prompt_tokens > 0 && cost > 0)
})

// How little memory that takes is in memory-slow-readers.test.ts.
test('slow readers slow their providers down, and a reader that leaves is noticed', async () => {
  const { failed_requests: failed } = await usageOf(ASK.model)
  await holdBack(setup, SLOW_READERS)
  await setup.idle()
  assert.equal((await usageOf(ASK.model)).failed_requests - failed, SLOW_READERS)
})

test('a reader that was slow and then reads gets everything, in order', async () => {
  const events = textEvents(Array.from({ length: 1_500 }, (_, index) => `${index}-${'x'.repeat(1_000)}`).join(' '))
  openai.next(stream(events, { chunking: 'whole' }))
  const reader = await openUnread(gateway)
  await new Promise((resolve) => setImmediate(resolve))
  let text = ''
  for await (const bytes of reader.setEncoding('utf8')) text += bytes
  const { chunks, done } = readStream(text)
  const numbers = chunks.map(({ choices }) => choices[0]?.delta.content?.trim().split('-')[0]).filter(Boolean)
  assert.deepEqual(
    numbers,
    Array.from({ length: 1_500 }, (_, index) => String(index)),
  )
  assert.equal(done, 1)
})

test(`after ${CYCLES} streams that were opened and left, the provider has few sockets open`, async () => {
  openai.always(stream(textEvents('a few words'), { waitFor: NEVER, waitAfter: 3 }))
  for (let at = 0; at < CYCLES; at += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, () => openAndLeave()))
  for (const { closed } of openai.requests) assert.equal(await closed, true)
  assert.equal(openai.requests.length, CYCLES)
  openai.always(answer())
  assert.equal((await chat.whole(ASK)).status, 200)
  assert.ok(openai.openSockets <= FEW_SOCKETS, `${openai.openSockets} sockets are open`)
  await setup.idle()
})

test('leaving is no error of ours: nothing unexpected in the logs', async () => {
  await setup.idle()
  const errors = gateway
    .logs()
    .split('\n')
    .filter((line) => /"level":(50|60)|unexpected/.test(line))
  assert.equal(errors.length, 0, errors[0])
})

/** Reads this many chunks of a stream, then leaves. */
async function leaveAfter(chunks: number, body: object = {}): Promise<void> {
  const leave = new AbortController()
  const response = await chat.post({ ...ASK, ...body, stream: true }, { signal: leave.signal })
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body!) {
    text += decoder.decode(bytes, { stream: true })
    if (text.split('\n\n').length > chunks) break
  }
  leave.abort()
}

type Sums = Record<
  'requests' | 'failed_requests' | 'prompt_tokens' | 'completion_tokens' | 'total_tokens' | 'cost',
  number
>

async function usageOf(model: string): Promise<Sums> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}` }
  const response = await fetch(`${gateway.adminUrl}/admin/usage?group_by=model`, { headers })
  const { items } = (await response.json()) as { items: (Sums & { group: string })[] }
  const nothing = { requests: 0, failed_requests: 0, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost: 0 }
  return items.find(({ group }) => group === model) ?? nothing
}

type LogLine = { status?: number; code?: string; estimated?: boolean; completion_tokens?: number }

function linesWith(status: number): LogLine[] {
  const lines = gateway.logs().trim().split('\n')
  return lines.map((line) => JSON.parse(line) as LogLine).filter((line) => line.status === status)
}

async function openAndLeave(): Promise<void> {
  const leave = new AbortController()
  const response = await chat.post({ ...ASK, stream: true }, { signal: leave.signal })
  await response.body!.getReader().read()
  leave.abort()
}
