import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type {
  ChatChunk,
  ChatCompletion,
  Choice,
  ChunkChoice,
  Delta,
  ReplyMessage,
} from '../../../src/contract/chat-reply.ts'
import {
  type Answer,
  type AnswerChoice,
  type AnswerChunk,
  type AnswerDelta,
  type AnswerMessage,
  type AnswerPiece,
  Internal,
} from '../../../src/translation/wire/answer.ts'
import { CHATS, NATIVES } from '../../fakes/exchanges/chats.ts'
import type { Exchange } from '../../fakes/exchanges/exchange.ts'
import { FORMATS } from '../../fakes/exchanges/formats.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { startReceiver } from '../../fakes/webhook-receiver.ts'
import { sample } from '../../soak/sample.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { rowPerDialect } from '../../gateway/gateway-with-rows.ts'
import { taskClient } from '../../gateway/task-client.ts'

// What only the gateway knows of an answer travels as members of the answer. Nothing else shows them: no reply in any
// format, whole or streamed, nothing that is kept, no webhook, no log line.

type Added<Inner, Contract> = Exclude<keyof Inner, keyof Contract>
type InternalName =
  | Added<Answer, ChatCompletion>
  | Added<AnswerChoice, Choice>
  | Added<AnswerMessage, ReplyMessage>
  | Added<AnswerChunk, ChatChunk>
  | Added<AnswerPiece, ChunkChoice>
  | Added<AnswerDelta, Delta>

const NAMES = Object.keys({
  nativeReply: true,
  nativeEvents: true,
  nativeReplies: true,
  placedBlocks: true,
  planStart: true,
  endNote: true,
} satisfies Record<InternalName, true>)
const SHOWN = new RegExp(NAMES.map((name) => `"${name}"`).join('|'))

/** Answers with blocks of providers, with a plan, and in the caller's own format. */
const TELLING = /web search and fetch|server-tool|a plan and a tool/
const TEXT = { index: 0, message: { role: 'assistant', content: 'Words' }, finish_reason: 'odd_word' }
const ODD_ENDS = Object.entries(FORMATS).flatMap(([format, { path, plain }]): Exchange[] => {
  const model = 'my-openai/m'
  const [name, body, to] = [`${format}, odd end`, { model, ...plain }, path(model)]
  const chunk = { id: 'c', created: 1, choices: [{ index: 0, delta: { content: 'Words' }, finish_reason: 'odd_word' }] }
  const events = to.replace(':generateContent', ':streamGenerateContent?alt=sse')
  const asked = { ...body, ...(events === to && { stream: true }) }
  const answer = [`data: ${JSON.stringify(chunk)}\n\n`, 'data: [DONE]\n\n']
  return [
    { name, path: to, body, answer: JSON.stringify({ id: 'c', created: 1, choices: [TEXT] }) },
    { name: `${name}, streamed`, path: events, body: asked, answer },
  ]
})
/** Only the row of xAI says that such a stream is complete. */
const UNENDED = /empty finish reason, streamed/
const EXCHANGES = [...CHATS, ...NATIVES, ...ODD_ENDS].filter(({ name }) => !UNENDED.test(name))
const TRIED = EXCHANGES.filter((one) => sample(0, 1) || !CHATS.includes(one) || TELLING.test(one.name))

describe('what only the gateway knows of an answer', () => {
  let provider: FakeProvider
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let gateway: GatewayUnderTest
  let folder: string
  let key: string
  before(async () => {
    provider = await startFakeProvider({ everyPath: true })
    receiver = await startReceiver()
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-internal-'))
    const file = join(folder, 'gatehouse.config.json')
    const providers = {
      ...rowPerDialect({ baseUrl: provider.url, models: [{ id: 'm' }] }),
      openai: { responses: true },
    }
    await writeFile(file, JSON.stringify({ providers }))
    const env = {
      GATEHOUSE_CONFIG: file,
      OPENAI_API_KEY: 'sk-x',
      OPENAI_BASE_URL: provider.url,
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      ALLOW_NETWORKS: '127.0.0.0/8',
    }
    gateway = await startGateway({ env })
    const admin = adminClient(gateway.adminUrl)
    await admin.post('/admin/projects', { name: 'kept', id: 'kept' })
    await admin.patch('/admin/projects/kept', { content: { mode: 'full' } })
    await gateway.gateway.services.calls.contents.refresh()
    key = (await admin.issue({ project: 'kept' })).key
  })
  after(async () => {
    await gateway?.close()
    await receiver?.stop()
    await provider?.close()
    await rm(folder, { recursive: true })
  })
  beforeEach(() => provider.reset())
  afterEach(() => assert.doesNotMatch(gateway.logs(), SHOWN))

  for (const exchange of TRIED)
    test(`is not in the reply nor in what is kept of it: ${exchange.name}`, async () => {
      const { text, id } = await send(exchange)
      assert.doesNotMatch(text, SHOWN)
      const kept = await keptOf(id)
      assert.ok(kept.includes('"answer"'), kept)
      assert.doesNotMatch(kept, SHOWN)
    })

  for (const name of ['chat, cohere, a plan and a tool', 'chat, odd end', 'chat, gemini, server-tool'])
    test(`would be seen by this test in a stream: ${name}`, async (context) => {
      context.mock.method(Internal.prototype, 'toJSON', () => 'shown')
      assert.match((await send(exchangeOf(`${name}, streamed`))).text, SHOWN)
    })

  test('is not in the original answer of a task, nor in its webhook', async () => {
    const message = { tool_plan: 'I plan. ', content: [{ type: 'text', text: '{"result":"Short."}' }] }
    const reply = { id: 'c', finish_reason: 'COMPLETE', message: { role: 'assistant', ...message } }
    provider.always(sending(JSON.stringify(reply)))
    const client = taskClient(gateway.url, key)
    const body = {
      model: 'text/summarize/my-cohere/m',
      input: { text: 'A long text.' },
      show_original_response: true,
      webhook_receiver: `${receiver.url}/200`,
    }
    const whole = await client.run({ ...body, webhook_receiver: undefined })
    assert.match(whole.text, /I plan\. /)
    assert.doesNotMatch(whole.text, SHOWN)
    const arrived = new Promise((resolve) => receiver.arrivals.once('/200', resolve))
    const { body: job, text } = await client.submit(body)
    assert.ok(job.job_id, text)
    const ended = JSON.stringify(await client.ended(job.job_id))
    await arrived
    for (const shown of [ended, String(receiver.received[0]!.body)]) {
      assert.match(shown, /I plan\. /)
      assert.doesNotMatch(shown, SHOWN)
    }
  })

  test('is not taken from a provider that sends members with these names, which are passed on', async () => {
    const members = Object.fromEntries(NAMES.map((name) => [name, [{ type: 'message_stop' }]]))
    const choice = { index: 0, delta: { content: 'Words', ...members }, finish_reason: 'stop', ...members }
    const answer = [`data: ${JSON.stringify({ id: 'c', created: 1, choices: [choice], ...members })}\n\n`]
    for (const format of Object.keys(FORMATS)) {
      const exchange = exchangeOf(`${format}, odd end, streamed`)
      const { text } = await send({ ...exchange, answer: [...answer, 'data: [DONE]\n\n'] })
      assert.match(text, /Words/, format)
      assert.doesNotMatch(text, /"error":\{/, format)
    }
  })

  async function send({ path, body, answer }: Exchange): Promise<{ text: string; id: string }> {
    provider.always(sending(answer))
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      'x-gatehouse-metadata': 'enabled',
    }
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...body, store: undefined }),
    })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return { text, id: response.headers.get('x-request-id')! }
  }

  async function keptOf(id: string): Promise<string> {
    await gateway.gateway.services.calls.contents.written()
    return (await adminClient(gateway.adminUrl).get(`/admin/requests/${id}/content`)).text
  }
})

function exchangeOf(name: string): Exchange {
  return EXCHANGES.find((one) => one.name === name)!
}

function sending(answer: Exchange['answer']): Parameters<FakeProvider['always']>[0] {
  const type = typeof answer === 'string' ? 'application/json' : 'text/event-stream'
  return (_, response) => {
    response.writeHead(200, { 'content-type': type })
    response.end(typeof answer === 'string' ? answer : answer.join(''))
  }
}
