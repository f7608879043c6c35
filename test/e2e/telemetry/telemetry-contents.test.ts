import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type FakeCollector, type SeenSpan, startCollector } from '../../fakes/collector.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// Contents in spans: only of projects that keep contents and ask for it, as they are kept.

const CLIENT = 3
const ADDRESS = 'mia@example.org'
let collector: FakeCollector
let gateway: GatewayUnderTest

before(async () => {
  collector = await startCollector()
  gateway = await startGateway({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '1',
    },
  })
})
after(async () => {
  await gateway.close()
  await collector.close()
})
afterEach(() => {
  collector.check()
  collector.reset()
})

async function admin(
  method: string,
  path: string,
  body: object,
): Promise<{ id: string; key: string; project: string }> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
  const answer = await fetch(`${gateway.adminUrl}${path}`, { method, headers, body: JSON.stringify(body) })
  const text = await answer.text()
  assert.ok(answer.ok, text)
  return JSON.parse(text)
}

let projects = 0

async function keyWith(content: object): Promise<string> {
  const id = `spans-${++projects}`
  await admin('POST', '/admin/projects', { id, name: id })
  await admin('PATCH', `/admin/projects/${id}`, { content })
  return (await admin('POST', '/admin/keys', { name: id, project: id })).key
}

async function ask(key: string, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'x-api-key': key, 'content-type': 'application/json' }
  const answer = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
}

async function clientSpan(): Promise<SeenSpan> {
  return await collector.until(() => collector.spans().find(({ kind }) => kind === CLIENT))
}

function contentOf({ attributes }: SeenSpan): Record<string, unknown> {
  const names = ['gen_ai.system_instructions', 'gen_ai.input.messages', 'gen_ai.output.messages']
  return Object.fromEntries(
    names.flatMap((name) => (attributes[name] === undefined ? [] : [[name, JSON.parse(String(attributes[name]))]])),
  )
}

const text = (content: string) => [{ type: 'text', content }]
const chat = (content: string, more: object = {}) => ({
  model: 'sandbox/echo',
  messages: [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content },
  ],
  ...more,
})

test('a chat, whole and streamed, is in the span of its attempt', async () => {
  const key = await keyWith({ mode: 'full', in_spans: true })
  for (const stream of [false, true]) {
    await ask(key, '/v3/chat/completions', chat('Hello Grüße', { stream }))
    const [output] = contentOf(await clientSpan())['gen_ai.output.messages'] as Record<string, unknown>[]
    assert.deepEqual(contentOf(await clientSpan())['gen_ai.input.messages'], [
      { role: 'system', parts: text('Be kind.') },
      { role: 'user', parts: text('Hello Grüße') },
    ])
    assert.deepEqual([output!.role, output!.parts], ['assistant', text('Hello Grüße')])
    assert.equal(output!.finish_reason, stream ? undefined : 'stop')
    const [server, client] = collector.spans()
    assert.deepEqual([server!.attributes['http.response.status_code'], contentOf(server!)], [200, {}])
    assert.ok(Number(client!.attributes['gen_ai.usage.output_tokens']) > 0)
    assert.deepEqual(client!.attributes['gen_ai.response.finish_reasons'], ['stop'])
    collector.reset()
  }
})

test('other formats are messages too, with their instructions apart', async () => {
  const key = await keyWith({ mode: 'full', in_spans: true })
  const asked: [string, object][] = [
    [
      '/v3/v1/messages',
      {
        model: 'sandbox/echo',
        max_tokens: 9,
        system: 'Be kind.',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      },
    ],
    ['/v3/responses', { model: 'sandbox/echo', instructions: 'Be kind.', input: 'Hi', store: undefined }],
    [
      '/v3/v1beta/models/sandbox/echo:generateContent',
      { systemInstruction: { parts: [{ text: 'Be kind.' }] }, contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    ],
  ]
  for (const [path, body] of asked) {
    await ask(key, path, body)
    const { 'gen_ai.output.messages': output, ...input } = contentOf(await clientSpan())
    assert.deepEqual(
      input,
      {
        'gen_ai.system_instructions': text('Be kind.'),
        'gen_ai.input.messages': [{ role: 'user', parts: text('Hi') }],
      },
      path,
    )
    const [message] = output as { role: string; parts: unknown }[]
    assert.deepEqual([message!.role, message!.parts], ['assistant', text('Hi')], path)
    collector.reset()
  }
})

test('redacted contents are redacted in spans, and cut texts are cut', async () => {
  const key = await keyWith({ mode: 'redacted', bytes_per_field: 100, in_spans: true })
  await ask(key, '/v3/chat/completions', chat(`Write to ${ADDRESS}. ${'x'.repeat(500)}`))
  const { attributes } = await clientSpan()
  const input = String(attributes['gen_ai.input.messages'])
  assert.ok(input.includes('[EMAIL_1]') && input.includes('[cut, it had'), input)
  assert.ok(!collector.exports.some(({ bytes }) => bytes.includes(ADDRESS)))
})

test('nothing is in spans unless a project keeps contents and asks for it, and the request allows it', async () => {
  const never: [object, object][] = [
    [{ mode: 'full' }, {}],
    [{ mode: 'full', in_spans: false }, {}],
    [{ mode: 'off', in_spans: true }, {}],
    [{ mode: 'full', in_spans: true }, { store: false }],
  ]
  for (const [content, more] of never) {
    await ask(await keyWith(content), '/v3/chat/completions', chat(`secret of ${ADDRESS}`, more))
    assert.deepEqual(contentOf(await clientSpan()), {}, JSON.stringify([content, more]))
    assert.ok(!collector.exports.some(({ bytes }) => bytes.includes('secret of')))
    collector.reset()
  }
  await ask(API_KEY, '/v3/chat/completions', chat('secret of the default key'))
  assert.deepEqual(contentOf(await clientSpan()), {})
})
