import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, before, beforeEach, test } from 'node:test'
import { status } from '../../fakes/behaviours.ts'
import { type FakeMcpServer, startMcpServer } from '../../fakes/mcp-server.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { errorIn, type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// Guardrails on endpoints that are no chats: transcripts, compaction of responses, and servers of tools.

const WHISPER = 'openai/whisper-1'

let scene: LimitsGateway
let server: FakeMcpServer
let failing: Server
let closed: Server
before(async () => {
  server = await startMcpServer('both')
  failing = await startFailingServer('tools/call')
  closed = await startFailingServer('tools/list')
  scene = await startLimitsGateway(
    {},
    { OPENAI_API_KEY: 'plain.words', MISTRAL_API_KEY: 'plain.words', ALLOW_NETWORKS: '127.0.0.0/8' },
    {
      moves: ['OPENAI', 'MISTRAL'],
      config: {
        providers: { openai: { responses: true } },
        mcp: {
          servers: { tickets: { url: server.url }, failing: { url: urlOf(failing) }, closed: { url: urlOf(closed) } },
        },
      },
    },
  )
})
after(async () => {
  await scene.close()
  await server.close()
  for (const one of [failing, closed]) {
    one.closeAllConnections()
    one.close()
  }
})
beforeEach(() => scene.fake.reset())

async function guard(action: string, more: object = {}): Promise<void> {
  const checks = [{ check: 'patterns', words: ['falcon', 'gates'], patterns: ['tall tower'] }]
  await scene.limit({ guardrails: [{ id: 'birds', appliesTo: 'all', checks, action, ...more }] })
}

function listen(fields: Record<string, string>, kind = 'transcriptions'): Promise<Response> {
  const body = new FormData()
  for (const [name, value] of Object.entries({ model: WHISPER, ...fields })) body.set(name, value)
  body.set('file', new Blob([new Uint8Array(4_000)], { type: 'audio/wav' }), 'a.wav')
  const headers = { authorization: `Bearer ${API_KEY}` }
  return fetch(`${scene.gateway.url}/v3/audio/${kind}`, { method: 'POST', headers, body })
}

const HEARD = {
  task: 'transcribe',
  language: 'english',
  duration: 4,
  text: 'A falcon on a tall tower.',
  segments: [
    { id: 0, start: 0, end: 2, text: ' A falcon on a tall' },
    { id: 1, start: 2, end: 4, text: ' tower.' },
  ],
  words: ['A', 'falcon', 'on', 'a', 'tall', 'tower'].map((word, at) => ({ word, start: at / 2, end: at / 2 + 0.5 })),
}
const HIDDEN = 'A [REDACTED_1] on a [REDACTED_2].'

for (const kind of ['transcriptions', 'translations'])
  test(`${kind}: the text is checked in every format, and a prompt before a provider sees it`, async () => {
    await guard('redact')
    scene.fake.always(status(200, HEARD))
    for (const response_format of ['json', 'text', 'srt', 'vtt', 'verbose_json']) {
      const reply = await listen({ response_format, prompt: 'A falcon' }, kind)
      const text = await reply.text()
      assert.equal(reply.status, 200, text)
      assert.ok(text.includes(HIDDEN) && !/falcon|tower/.test(text), `${response_format} ${text}`)
    }
    for (const { text } of scene.fake.requests) assert.ok(text.includes('[REDACTED_1]') && !text.includes('falcon'))
    await guard('block')
    const asked = scene.fake.requests.length
    assert.equal((await errorIn(await listen({}, kind), 403)).code, 'guardrail_blocked')
    assert.equal(scene.fake.requests.length, asked + 1)
    assert.equal((await errorIn(await listen({ prompt: 'A falcon' }, kind), 403)).guardrail, 'birds')
    assert.equal(scene.fake.requests.length, asked + 1)
  })

test('a streamed transcript is checked as a whole before its first event', async () => {
  await guard('redact')
  scene.fake.always(status(200, { text: HEARD.text, usage: { type: 'duration', seconds: 4 } }))
  const fields = { model: 'openai/gpt-4o-transcribe', stream: 'true' }
  const events = await (await listen(fields)).text()
  assert.ok(events.includes(HIDDEN) && events.includes('transcript.text.done') && !events.includes('falcon'), events)
  assert.ok(!scene.fake.requests[0]!.text.includes('name="stream"'))
  await guard('block')
  assert.equal((await listen(fields)).status, 403)
})

test('subtitles of a provider that cut what is found are blocked, because they cannot be redacted', async () => {
  await guard('redact')
  const cues = (first: string, second: string) =>
    `1\n00:00:00,000 --> 00:00:02,000\n${first}\n\n2\n00:00:02,000 --> 00:00:04,000\n${second}\n\n`
  const says = (text: string) => scene.fake.always(status(200, text))
  says(cues('A falcon', 'on a tower.'))
  const fields = { response_format: 'srt' }
  assert.equal(await (await listen(fields)).text(), cues('A [REDACTED_1]', 'on a tower.'))
  says(cues('On a tall', 'tower.'))
  assert.equal((await listen(fields)).status, 403)
})

test('the compaction of a conversation: what is sent and what comes back is checked, and sealed parts stay as they are', async () => {
  await guard('redact')
  const sealed = { type: 'compaction', id: 'cmp_1', encrypted_content: 'falcon' }
  const said = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  scene.fake.always(status(200, { output: [said('A falcon'), sealed], usage }))
  const body = { model: 'openai/gpt-4o-mini', input: [said('The falcon, 4111'), sealed], instructions: 'No falcon.' }
  const reply = (await (await scene.post('/v3/responses/compact', body)).json()) as { output: unknown[] }
  assert.deepEqual(reply.output, [said('A [REDACTED_1]'), sealed])
  const { input, instructions } = scene.fake.requests[0]!.body as Record<string, unknown>
  assert.deepEqual([input, instructions], [[said('The [REDACTED_1], 4111'), sealed], 'No [REDACTED_1].'])
  await guard('block')
  assert.equal((await scene.post('/v3/responses/compact', body)).status, 403)
  assert.equal(scene.fake.requests.length, 1)
})

test('images: what a model has made of a prompt is checked', async () => {
  const made = { created: 1, data: [{ b64_json: 'aGk=', revised_prompt: 'A falcon on a tall tower.' }] }
  const ask = () => scene.post('/v3/images/generations', { model: 'openai/gpt-image-2.5-sunburst', prompt: 'A bird' })
  scene.fake.always(status(200, made))
  await guard('redact')
  assert.match(await (await ask()).text(), /"A \[REDACTED_1\] on a \[REDACTED_2\]\."/)
  await guard('block')
  assert.equal((await errorIn(await ask(), 403)).guardrail, 'birds')
})

test('embeddings: tokens are refused where a text could be, and told if a guardrail only reports', async () => {
  const vectors = { object: 'list', data: [{ index: 0, embedding: [1, 2], object: 'embedding' }], model: 'x' }
  const ask = () => scene.post('/v3/embeddings', { model: 'openai/text-embedding-3-small', input: [[33, 44]] })
  scene.fake.always(status(200, vectors))
  await guard('flag')
  const reported = await ask()
  assert.deepEqual([reported.status, reported.headers.get('x-gatehouse-guardrails')], [200, 'birds=unscanned(tokens)'])
  await guard('block')
  assert.match(String((await errorIn(await ask(), 422)).message), /send text/)
})

test('OCR: what is asked about a document is checked before a provider sees it', async () => {
  await guard('redact')
  const pages = [{ index: 0, markdown: 'A falcon', images: [], dimensions: null }]
  scene.fake.always(status(200, { pages, model: 'mistral-ocr-2512', usage_info: { pages_processed: 1 } }))
  const document = { type: 'document_url', document_url: 'data:application/pdf;base64,JVBERi0=' }
  const schema = { type: 'object', properties: {}, description: 'A falcon' }
  const body = {
    model: 'mistral',
    document,
    document_annotation_prompt: 'Any falcon?',
    document_annotation_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
  }
  const text = await (await scene.post('/v3/ocr', body)).text()
  assert.ok(text.includes('A [REDACTED_') && !text.includes('falcon'), text)
  assert.equal(
    (scene.fake.requests[0]!.body as Record<string, unknown>).document_annotation_prompt,
    'Any [REDACTED_1]?',
  )
  assert.ok(!scene.fake.requests[0]!.text.includes('falcon'))
})

/** A server that answers to this with an error of the protocol. */
async function startFailingServer(at: 'tools/list' | 'tools/call'): Promise<Server> {
  const answers: Record<string, object> = {
    'server/discover': { result: { supportedVersions: ['2026-07-28'] } },
    'tools/list': { result: { tools: [{ name: 'find', inputSchema: { type: 'object' } }] } },
    [at]: { error: { code: -32000, message: 'No falcon is here.' } },
  }
  const started = createServer(async (request, response) => {
    const { id, method } = (await json(request)) as { id: number; method: string }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answers[method] }))
  }).listen(0, '127.0.0.1')
  await once(started, 'listening')
  return started
}

function urlOf(started: Server): string {
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}/mcp`
}

async function callTool(args: object, name = 'tickets'): Promise<{ text: string; isError?: boolean }> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'find', arguments: args } }
  const accept = { accept: 'application/json, text/event-stream' }
  const text = await (await scene.post(`/v3/mcp/${name}`, message, accept)).text()
  const { result } = JSON.parse(text.slice(text.indexOf('{'))) as {
    result: { content: { text: string }[]; isError?: boolean }
  }
  return { text: result.content[0]!.text, ...(result.isError && { isError: true }) }
}

test('servers of tools: arguments and results are checked', async () => {
  await guard('redact', { phases: ['tool_arguments'] })
  assert.deepEqual(await callTool({ word: 'gates' }), { text: 'Ticket 7 is about [REDACTED_1].' })
  await guard('redact', { phases: ['tool_results'] })
  assert.deepEqual(await callTool({ word: 'gates' }), { text: 'Ticket 7 is about [REDACTED_1].' })
  await guard('block')
  const before = server.calls().length
  const refused = await callTool({ word: 'gates' })
  assert.ok(refused.isError && refused.text.includes("'birds'"), refused.text)
  assert.equal(server.calls().length, before)
  await guard('block', { phases: ['tool_results'] })
  assert.ok((await callTool({ word: 'gates' })).isError)
  assert.equal(server.calls().length, before + 1)
})

test('servers of tools: what they say about a failure is checked', async () => {
  await guard('redact', { phases: ['tool_results'] })
  const { text, isError } = await callTool({}, 'failing')
  assert.ok(isError && text.includes('No [REDACTED_1] is here.'), text)
  await guard('block', { phases: ['tool_results'] })
  assert.ok((await callTool({}, 'failing')).text.includes("'birds'"))
})

test('a chat whose servers cannot list their tools does not quote them to a caller with guardrails', async () => {
  const tools = [{ type: 'mcp', server_label: 'closed', require_approval: 'never' }]
  const ask = () => scene.post('/v3/responses', { model: 'fake/priced', input: 'Hello', tools })
  await guard('flag')
  assert.match(String((await errorIn(await ask(), 502)).message), /No falcon is here\./)
  await guard('redact')
  assert.equal((await errorIn(await ask(), 502)).message, 'The tools of "closed" could not be listed: bad_request.')
})

test('faces of a collection stay refused: there is no text that could be checked', async () => {
  await guard('redact')
  const path = '/v3/universal-ai/collections/00000000-0000-4000-8000-000000000000/items'
  assert.equal((await errorIn(await scene.post(path, { file: 'x' }), 403)).code, 'not_allowed')
})
