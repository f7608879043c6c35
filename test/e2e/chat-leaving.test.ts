import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { type Behaviour, failure, hangAfterHeaders, silence } from '../fakes/behaviours.ts'
import { textEvents } from '../fakes/openai-events.ts'
import { stream } from '../fakes/stream.ts'
import { ASK } from './chat-client.ts'
import { ADMIN_KEY } from './gateway-under-test.ts'
import { startGatewayWithFakes } from './gateway-with-fakes.ts'

// Clients that leave before their answer is complete.

const house = await startGatewayWithFakes()
const { chat, openai, fake, gateway } = house
after(() => house.close())
beforeEach(() => house.reset())

const MOMENTS = 30
const NEVER = new Promise<void>(() => {})
const WITH_FALLBACKS = { ...ASK, fallbacks: ['fake/priced', 'fake/second'] }

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
  test(`leaving while waiting ${what} hangs up on the provider, and nobody else is asked`, async () => {
    openai.next(behaviour)
    const leave = new AbortController()
    const answered = chat
      .post({ ...WITH_FALLBACKS, stream }, { signal: leave.signal })
      .then((response) => response.text())
    const seen = await openai.request(0)
    leave.abort()
    await assert.rejects(answered, { name: 'AbortError' })
    assert.equal(await seen.closed, true)
    await house.idle()
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
  test(`leaving during a fallback: the one after it is not asked (stream: ${streamed})`, async () => {
    openai.next(failure(500))
    fake.always(silence())
    const leave = new AbortController()
    const answered = chat.post({ ...WITH_FALLBACKS, stream: streamed }, { signal: leave.signal })
    const seen = await fake.request(0)
    leave.abort()
    await assert.rejects(answered, { name: 'AbortError' })
    assert.equal(await seen.closed, true)
    await house.idle()
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
  await house.idle()
  const now = await usageOf('openai/gpt-4.1-nano')
  assert.deepEqual([now.requests - before.requests, now.failed_requests - before.failed_requests], [1, 1])
  assert.equal(now.completion_tokens - before.completion_tokens, 100)
  assert.ok(now.prompt_tokens > before.prompt_tokens)
  assert.ok(now.cost > before.cost)
  const [line] = linesWith(499).slice(lines.length)
  assert.deepEqual([line?.code, line?.estimated, line?.completion_tokens], ['client_gone', true, 100])
})

test('a client that leaves just before the end pays what the provider counted', async () => {
  const events = textEvents('Hello', { usage: { prompt_tokens: 90, completion_tokens: 70, total_tokens: 160 } })
  openai.next(stream(events, { chunking: 'whole', end: 'clean', waitFor: NEVER, waitAfter: 1 }))
  await leaveAfter(events.length - 1, { model: 'openai/gpt-4.1-mini' })
  assert.equal(await (await openai.request(0)).closed, true)
  await house.idle()
  const { requests, failed_requests, prompt_tokens, completion_tokens } = await usageOf('openai/gpt-4.1-mini')
  assert.deepEqual([requests, failed_requests, prompt_tokens, completion_tokens], [1, 1, 90, 70])
})

test('who leaves before a whole answer, or before a stream began, has a line that costs nothing', async () => {
  for (const stream of [false, true]) {
    openai.next(silence())
    const leave = new AbortController()
    const answered = chat.post({ ...ASK, model: 'openai/gpt-4.1', stream }, { signal: leave.signal })
    await openai.request(stream ? 1 : 0)
    leave.abort()
    await assert.rejects(answered)
    await openai.requests.at(-1)!.closed
  }
  await house.idle()
  const { requests, failed_requests, total_tokens, cost } = await usageOf('openai/gpt-4.1')
  assert.deepEqual([requests, failed_requests, total_tokens, cost], [2, 2, 0, 0])
})

const todo = 'src/http/call-line.ts wholeReply lets ClientGone reach the error handler, which logs it with its stack'
test('leaving is no error of ours: nothing unexpected in the logs', { todo }, async () => {
  await house.idle()
  const errors = gateway
    .logs()
    .split('\n')
    .filter((line) => /"level":(50|60)/.test(line))
  assert.equal(errors.length, 0, errors[0])
})

/** Reads so many chunks of a stream, then leaves. */
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
