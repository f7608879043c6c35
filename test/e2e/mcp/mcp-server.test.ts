import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import { PREFIX } from '../../../src/endpoints/mcp/offered-tool.ts'
import { type AdminClient, adminClient } from '../../gateway/admin-client.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { someOf } from '../../soak/sample.ts'
import { mcpClient } from './mcp-client.ts'
import { post, rpc } from './raw-mcp.ts'

// Our MCP server through a real port, with the client of the official SDK, which checks every result against the schema of its tool.

let gateway: GatewayUnderTest
let admin: AdminClient

before(async () => {
  gateway = await startGateway()
  admin = adminClient(gateway.adminUrl)
})
after(() => gateway.close())

for (const era of ['modern', 'legacy'] as const) {
  test(`a client of the ${era} era lists tools and calls them, and each call has its ledger line`, async () => {
    const client = await mcpClient(gateway.url, era)
    try {
      const [first, second] = [await namesOf(client), await namesOf(client)]
      assert.deepEqual(first, second, 'the order does not change')
      assert.ok(first.length < 20 && first.includes(`${PREFIX}find_tools`), 'the default list is short')
      const result = await call(client, 'translation_language_detection', { text: 'Guten Morgen, wie geht es Ihnen?' })
      assert.match(textOf(result), /"language":"de"/)
      assert.equal(result._meta?.cost, 0)
      assert.equal(result._meta?.provider, 'local')
      const line = await admin.get<{ endpoint: string; status: number }>(`/admin/requests/${result._meta?.request_id}`)
      assert.equal(line.status, 200, line.text)
      assert.equal(line.body.status, 200)
      assert.equal(line.body.endpoint, 'universal')
    } finally {
      await client.close()
    }
  })

  test(`what the gateway refuses is told to the model in the ${era} era`, async () => {
    const client = await mcpClient(gateway.url, era)
    try {
      const refused = await call(client, 'translation_language_detection', { txt: 'x' })
      assert.equal(refused.isError, true)
      assert.match(textOf(refused), /text: Field required/)
      assert.match(textOf(refused), /txt: Extra inputs are not permitted/)
      await assert.rejects(call(client, 'no_such_tool', {}), /Unknown tool/)
    } finally {
      await client.close()
    }
  })
}

test('a tool that a key may not use is neither listed nor callable', async () => {
  const all = await allTools(API_KEY)
  const sandbox = await admin.issue({ kind: 'sandbox' })
  const every = [...new Set([...all, ...(await allTools(sandbox.key))])]
  assert.ok(every.length > 60, 'a sandbox key has nearly all of them')
  const keys = [
    { scopes: ['mcp'] },
    { scopes: ['mcp', 'files'] },
    { scopes: ['mcp', 'universal', 'model:text/moderation/*'], kind: 'sandbox' },
    { scopes: ['mcp', 'chat', 'models'], kind: 'sandbox' },
    { policy: { data_policy: 'zero_retention' } },
    { policy: { endpoints: ['mcp', 'images'] }, kind: 'sandbox' },
  ]
  for (const [index, options] of keys.entries()) {
    const { key } = await admin.issue(options)
    const listed = new Set(await allTools(key))
    const others = every.filter((name) => !listed.has(name))
    assert.ok(others.length > 0, JSON.stringify(options))
    for (const name of someOf(others, index, 4)) {
      const { body } = await rpc(gateway.url, 'tools/call', { name, arguments: {} }, { key })
      assert.equal(body.error?.code, -32602, `${name} with ${JSON.stringify(options)}`)
    }
    const [name] = others
    const indirect = await rpc(gateway.url, 'tools/call', { name: `${PREFIX}run_tool`, arguments: { name } }, { key })
    assert.match(indirect.body.result.content[0].text, /^There is no tool of this name/)
  }
})

test('without the scope there is no server', async () => {
  const { key } = await admin.issue({ scopes: ['chat', 'universal'] })
  const { status, body } = await rpc(gateway.url, 'tools/list', {}, { key })
  assert.equal(status, 403)
  assert.equal(body.error.code, -32600)
  assert.equal(body.error.data.code, 'not_allowed')
  const unknown = await rpc(gateway.url, 'tools/list', {}, { key: 'sk-wrong' })
  assert.equal(unknown.status, 401)
  assert.equal(unknown.headers.get('www-authenticate'), 'Bearer')
})

test('a sandbox key tries every tool of models for nothing', async () => {
  const { key } = await admin.issue({ kind: 'sandbox' })
  const client = await mcpClient(gateway.url, 'modern', { key })
  try {
    const upload = await call(client, 'upload_file', { filename: 'a.mp3', content_base64: 'SUQzBAAAAAAAAA==' })
    const { file_id } = outputOf(upload)
    const arguments_: Record<string, Record<string, unknown>> = {
      ask_model: { prompt: 'Hello', model: 'sandbox/echo' },
      generate_image: { prompt: 'a cat' },
      speak: { input: 'Hello', voice: 'alloy' },
      transcribe: { file_id },
      embed: { input: ['Hello'] },
      rerank: { query: 'x', documents: ['a', 'b'] },
      moderate: { input: 'Hello' },
      web_search: { query: 'Mont Blanc' },
    }
    for (const [name, given] of Object.entries(arguments_)) {
      const result = await call(client, name, given)
      assert.equal(result.isError, undefined, `${name}: ${textOf(result)}`)
      assert.equal(result._meta?.cost, 0, name)
      assert.ok(result._meta?.request_id, name)
    }
    const image = await call(client, 'generate_image', { prompt: 'a cat', inline: true })
    const link = image.content.find(({ type }) => type === 'resource_link')
    assert.ok(link?.type === 'resource_link')
    const fetched = await fetch(link.uri.replace(/^https?:\/\/[^/]+/, gateway.url))
    assert.equal(fetched.headers.get('content-type'), 'image/png')
    assert.ok(image.content.some(({ type }) => type === 'image'))
  } finally {
    await client.close()
  }
})

test('a long result is cut, and a link leads to all of it, unless nothing may be stored', async () => {
  const prompt = 'word '.repeat(8_000)
  const sandbox = await admin.issue({ kind: 'sandbox' })
  const client = await mcpClient(gateway.url, 'legacy', { key: sandbox.key })
  const cut = await call(client, 'ask_model', { prompt, model: 'sandbox/echo' })
  await client.close()
  assert.ok(textOf(cut).length < 20_200)
  const link = cut.content.find(({ type }) => type === 'resource_link')
  assert.ok(link?.type === 'resource_link')
  // Clients that give a model the structured content alone give it the beginning, too.
  const { cut: structured } = cut.structuredContent as { cut: unknown }
  assert.deepEqual(structured, { text: textOf(cut), characters: prompt.length, uri: link.uri })
  const whole = await fetch(link.uri.replace(/^https?:\/\/[^/]+/, gateway.url))
  assert.equal(await whole.text(), prompt)
  const silent = await admin.issue({ kind: 'sandbox', policy: { data_policy: 'zero_retention' } })
  const other = await mcpClient(gateway.url, 'legacy', { key: silent.key })
  const unlinked = await call(other, 'ask_model', { prompt, model: 'sandbox/echo' })
  await other.close()
  assert.match(textOf(unlinked), /The rest was not kept/)
  assert.equal(unlinked.content.length, 1)
})

test('a long task is a job with an id that models can copy, and a task of the protocol for clients that know those', async () => {
  const { key } = await admin.issue({ kind: 'sandbox' })
  const client = await mcpClient(gateway.url, 'modern', { key })
  try {
    const started = await call(client, 'ocr_ocr_async', { file: await uploadIn(client) })
    assert.equal(started.isError, undefined, textOf(started))
    const { job_id } = started.structuredContent as { job_id: string }
    assert.match(job_id, /^job-[0-9a-z]{5}-[0-9a-z]{5}-[0-9a-z]$/)
    const done = await call(client, 'check_job', { job_id: job_id.toUpperCase(), wait_seconds: 60 })
    assert.ok(outputOf(done), textOf(done))
    const miscopied = `${job_id.slice(0, -1)}${job_id.endsWith('a') ? 'b' : 'a'}`
    const wrong = await call(client, 'check_job', { job_id: miscopied })
    assert.equal(wrong.isError, true)
    assert.ok(
      wrong.content.some((one) => one.type === 'text' && one.text.includes(job_id)),
      'the latest jobs are named',
    )
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const parameters = { name: `${PREFIX}ocr_ocr_async`, arguments: { file: await uploadIn(client) } }
    const { body } = await rpc(gateway.url, 'tools/call', parameters, { key, capabilities })
    assert.equal(body.result.resultType, 'task')
    const { taskId } = body.result
    await call(client, 'check_job', { job_id: taskId, wait_seconds: 60 })
    const got = await rpc(gateway.url, 'tasks/get', { taskId }, { key, capabilities })
    assert.equal(got.body.result.status, 'completed')
    assert.equal(got.body.result.resultType, 'complete')
    assert.ok(got.body.result.result.structuredContent.output)
    const stranger = await rpc(gateway.url, 'tasks/get', { taskId }, { capabilities })
    assert.equal(stranger.body.error.code, -32602, 'the task of another owner is unknown')
  } finally {
    await client.close()
  }
})

test('the address chooses which tools the list shows', async () => {
  const named = async (tools: string) => {
    const client = await mcpClient(gateway.url, 'modern', { path: `/v3/mcp?tools=${encodeURIComponent(tools)}` })
    const names = await namesOf(client)
    await client.close()
    return names.map((name) => name.slice(PREFIX.length))
  }
  const always = ['check_job', 'find_tools', 'run_tool']
  assert.deepEqual(await named('translation/language_detection'), [
    'check_job',
    'translation_language_detection',
    ...always.slice(1),
  ])
  assert.deepEqual(await named('list_*'), ['check_job', 'list_models', ...always.slice(1)])
  assert.ok((await named('all')).length > 20)
})

test('tools that are not in the list are found, and run by another', async () => {
  const client = await mcpClient(gateway.url, 'legacy')
  const found = await call(client, 'find_tools', { query: 'which language is this text' })
  const [best] = outputOf(found) as unknown as { name: string; inputSchema: object }[]
  assert.equal(best?.name, `${PREFIX}translation_language_detection`)
  const ran = await call(client, 'run_tool', { name: best.name, arguments: { text: 'Bonjour à tous' } })
  await client.close()
  assert.match(textOf(ran), /"language":"fr"/)
})

test('other methods, notifications, lists of messages and broken bodies are answered as the protocol says', async () => {
  for (const method of ['GET', 'DELETE']) {
    const answer = await fetch(`${gateway.url}/v3/mcp`, { method, headers: { authorization: `Bearer ${API_KEY}` } })
    assert.equal(answer.status, 405)
    assert.equal(answer.headers.get('allow'), 'POST')
  }
  const ping = { jsonrpc: '2.0', id: 'a', method: 'ping' }
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
  const accepted = await post(gateway.url, JSON.stringify(initialized))
  assert.deepEqual([accepted.status, accepted.text], [202, ''])
  const several = await post(gateway.url, JSON.stringify([ping, initialized, { jsonrpc: '2.0', id: 2, method: 'x' }]))
  assert.deepEqual(JSON.parse(several.text), [
    { jsonrpc: '2.0', id: 'a', result: {} },
    { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Method not found: x' } },
  ])
  const broken = await post(gateway.url, '{"jsonrpc":')
  assert.equal(broken.status, 400)
  assert.equal(JSON.parse(broken.text).error.code, -32700)
  const twice = await post(gateway.url, '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}')
  assert.equal(JSON.parse(twice.text).error.code, -32600)
  const unknown = await rpc(gateway.url, 'no/such', {})
  assert.deepEqual([unknown.status, unknown.body.error.code], [404, -32601])
  assert.equal((await rpc(gateway.url, 'initialize', {})).status, 404, 'the newest revision has no handshake')
})

test('a provider that is set up brings its tools, and takes them along', async () => {
  assert.ok(!(await allTools(API_KEY)).includes(`${PREFIX}generate_image`))
  const stored = { provider: 'openai', name: 'later', secret: 'sk-test-0123456789abcdefghij' }
  const created = await admin.post<{ id: string }>('/admin/credentials', stored)
  assert.equal(created.status, 201, created.text)
  assert.ok((await allTools(API_KEY)).includes(`${PREFIX}generate_image`))
  assert.equal((await admin.delete(`/admin/credentials/${created.body.id}`)).status, 204)
  assert.ok(!(await allTools(API_KEY)).includes(`${PREFIX}generate_image`))
})

test('a page of another origin may not ask', async () => {
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const rebound = await post(gateway.url, ping, { origin: 'http://evil.example', host: 'evil.example' })
  assert.equal(rebound.status, 403)
  const own = await post(gateway.url, ping, { origin: gateway.url })
  assert.equal(own.status, 200, own.text)
})

async function uploadIn(client: Client): Promise<string> {
  const uploaded = await call(client, 'upload_file', { filename: 'a.txt', content_text: 'hello' })
  return String(outputOf(uploaded).file_id)
}

async function allTools(key: string): Promise<string[]> {
  const { status, body } = await rpc(gateway.url, 'tools/list', {}, { key, path: '/v3/mcp?tools=all' })
  assert.equal(status, 200)
  return body.result.tools.map(({ name }: { name: string }) => name)
}

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name)
}

async function call(client: Client, name: string, given: Record<string, unknown>): Promise<CallToolResult> {
  return (await client.callTool({ name: `${PREFIX}${name}`, arguments: given })) as CallToolResult
}

function textOf({ content: [first] }: CallToolResult): string {
  assert.ok(first?.type === 'text')
  return first.text
}

function outputOf({ structuredContent }: CallToolResult): Record<string, unknown> {
  return (structuredContent as { output: Record<string, unknown> }).output
}
