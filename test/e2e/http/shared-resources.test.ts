import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { status } from '../../fakes/behaviours.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { errorIn, type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// What a provider keeps in the operator's account belongs to no caller, so no caller can name it.

let scene: LimitsGateway
before(async () => {
  const providers = { openai: { responses: true } }
  scene = await startLimitsGateway(
    {},
    { OPENAI_API_KEY: 'sk-fake-0123456789' },
    { moves: ['OPENAI'], config: { providers } },
  )
})
after(() => scene.close())

const TOOLS: [member: string, tool: object][] = [
  ['tools.0.vector_store_ids', { type: 'file_search', vector_store_ids: ['vs_1'] }],
  ['tools.0.container', { type: 'code_interpreter', container: 'cntr_1' }],
  ['tools.0.container.file_ids', { type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }],
  ['tools.0.collection_ids', { type: 'collections_search', collection_ids: ['c'] }],
  ['tools.0.vector_store_ids', { type: 'a_tool_of_tomorrow', vector_store_ids: ['vs_1'] }],
  [
    'tools.0.environment.skills',
    { type: 'shell', environment: { type: 'container_auto', skills: [{ type: 'skill_reference', skill_id: 's' }] } },
  ],
  [
    'tools.0.environment.container_id',
    { type: 'shell', environment: { type: 'container_reference', container_id: 'c' } },
  ],
]

test('a vector store, a container or a file of the account is refused, whole, streamed and in extra_body', async () => {
  for (const [param, tool] of TOOLS)
    for (const [path, body] of requestsWith(tool)) {
      const refused = await scene.post(path, { model: 'openai/gpt-4o-mini', ...body })
      const error = await errorIn(refused, 422)
      assert.deepEqual([error.code, error.param], ['validation_error', param], JSON.stringify(body))
    }
  assert.deepEqual(scene.fake.requests, [])
})

const PROVIDER = {
  baseUrl: 'http://127.0.0.1:9',
  models: [{ id: 'm' }],
  auth: { scheme: 'bearer', env: 'FAKE_API_KEY' },
}

/** Files in the account of the operator, in every format. Each names the member that is refused. */
const FILES: [path: string, param: string, body: object][] = [
  ...['file_011CNha8iCJcU1wXNR6q4V8w', 'file-abc', 'files/abc', 'gs://bucket/key', 's3://bucket/key'].map(
    (file_id): [string, string, object] => [
      '/v3/chat/completions',
      'messages.0.content.0.file.file_id',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id } }] }] },
    ],
  ),
  ...['document', 'image'].map((type): [string, string, object] => [
    '/v3/v1/messages',
    'messages.0.content.0.source.file_id',
    { max_tokens: 9, messages: [{ role: 'user', content: [{ type, source: { type: 'file', file_id: 'file_1' } }] }] },
  ]),
  [
    '/v3/v1/messages',
    'messages.0.content.0.file_id',
    { max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'file_1' }] }] },
  ],
  ...['input_file', 'input_image'].map((type): [string, string, object] => [
    '/v3/responses',
    'input.0.content.0.file_id',
    { input: [{ role: 'user', content: [{ type, file_id: 'file-1' }] }] },
  ]),
]
const FILE_URIS = [
  ...['files/abc', 'https://generativelanguage.googleapis.com/v1beta/files/abc', 'gs://bucket/key', 'GS://bucket/key'],
]

test('a file of the account is refused in every format, for providers of every dialect', async () => {
  const dialects = ['openai', 'anthropic', 'gemini', 'bedrock', 'cohere']
  const named = dialects.map((dialect) => [`of-${dialect}`, { dialect, ...PROVIDER }])
  const wide = await startLimitsGateway({}, {}, { config: { providers: Object.fromEntries(named) } })
  for (const dialect of dialects) {
    const model = `of-${dialect}/m`
    for (const [path, param, body] of FILES) {
      const error = await errorIn(await wide.post(path, { model, ...body }), 422)
      assert.ok(error.param === param || dialect !== 'anthropic', `${dialect}: ${param} ${error.param}`)
      if (dialect === 'openai') assert.match(String(error.message), /operator's account/)
    }
    for (const fileUri of FILE_URIS) {
      const contents = [{ role: 'user', parts: [{ fileData: { fileUri, mimeType: 'application/pdf' } }] }]
      const refused = await wide.post(`/v1beta/models/${model}:generateContent`, { contents })
      assert.ok([400, 422].includes(refused.status), `${dialect} ${fileUri} ${refused.status} ${await refused.text()}`)
    }
  }
  await wide.close()
})

test('a file id in an argument of a function is not the name of a file', async () => {
  scene.fake.reset()
  const args = JSON.stringify({ type: 'file', file_id: 'file-1' })
  const messages = [
    { role: 'user', content: 'Hello!' },
    { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: args } }] },
    { role: 'tool', tool_call_id: 'c', content: 'done' },
  ]
  await scene.post('/v3/chat/completions', { model: 'openai/gpt-4o-mini', messages })
  assert.equal(scene.fake.requests.length, 1)
})

function requestsWith(tool: object): [path: string, body: object][] {
  const input = 'Hello!'
  const messages = [{ role: 'user', content: input }]
  return [
    ['/v3/responses', { input, tools: [tool] }],
    ['/v3/responses', { input, tools: [tool], stream: true }],
    ['/v3/chat/completions', { messages, extra_body: { tools: [tool] } }],
  ]
}

test('a container that is made for the call is not', async () => {
  scene.fake.reset()
  const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }]
  await scene.post('/v3/responses', { model: 'openai/gpt-4o-mini', input: 'Hello!', tools })
  assert.deepEqual((scene.fake.requests[0]!.body as { tools: object[] }).tools, tools)
})

const MODEL = 'openai/gpt-4o-mini'
const RAN = {
  type: 'code_interpreter_call',
  id: 'ci_1',
  status: 'completed',
  code: '1',
  container_id: 'cntr_1',
  outputs: [],
}
const SHELL = {
  type: 'shell_call',
  id: 'sh_1',
  call_id: 'c',
  status: 'completed',
  action: { commands: ['ls'] },
  environment: { type: 'container_reference', container_id: 'cntr_2' },
}
const SAID = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [] }
const RESPONSE = { id: 'resp_1', object: 'response', status: 'completed', model: MODEL, output: [RAN, SHELL, SAID] }
const USER = { role: 'user', content: 'Go on' }
const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }]

type Item = { type?: string; container_id?: string; environment?: { container_id?: string } }

/** The items of the last request to the provider that say what it did by itself. */
function sentSteps(): Item[] {
  const { input } = scene.fake.requests.at(-1)!.body as { input: Item[] }
  return input.filter(({ type }) => type !== undefined && type !== 'message')
}

function sentContainers(): unknown[] {
  return sentSteps().map(({ container_id, environment }) => container_id ?? environment?.container_id)
}

async function respond(body: object, key?: string): Promise<{ id: string; output: Item[]; metadata?: unknown }> {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
  const reply = await scene.post('/v3/responses', { model: MODEL, input: 'Hello!', tools, ...body }, headers)
  assert.equal(reply.status, 200)
  return (await reply.json()) as { id: string; output: Item[] }
}

async function keyOfOthers(): Promise<string> {
  await scene.admin('POST', '/admin/projects', { id: 'others', name: 'others' })
  const made = await scene.admin('POST', '/admin/keys', { name: 'k', project: 'others' })
  return ((await made.json()) as { key: string }).key
}

test('a container that a program of the provider ran in is used again by its owner only', async () => {
  scene.fake.always(status(200, RESPONSE))
  const first = await respond({})
  const [ran] = first.output
  assert.notEqual(ran!.container_id, 'cntr_1', 'the id is signed')
  await respond({ input: [...first.output, USER] })
  assert.deepEqual(sentContainers(), ['cntr_1', 'cntr_2'])
  await respond({ input: 'Go on', previous_response_id: first.id })
  assert.deepEqual(sentContainers(), ['cntr_1', 'cntr_2'])
  const stranger = await keyOfOthers()
  for (const [item, key] of [
    [ran!, stranger],
    [RAN, undefined],
    [RAN, stranger],
    [{ ...RAN, container_id: 'cntr_1.x' }, undefined],
    [first.output[1]!, stranger],
    [SHELL, undefined],
    [{ type: 'image_generation_call', id: 'ig_1', status: 'completed' }, stranger],
  ] as const) {
    await respond({ input: [item, USER] }, key)
    assert.deepEqual(sentSteps(), [], JSON.stringify(item))
  }
})

test('nor does a conversation that is shortened or counted name a container of others', async () => {
  scene.fake.always(status(200, { ...RESPONSE, object: 'response.compaction', input_tokens: 9 }))
  const stranger = await keyOfOthers()
  const [ran] = (await respond({})).output
  for (const path of ['compact', 'input_tokens'])
    for (const [key, sent] of [
      [API_KEY, ['cntr_1']],
      [stranger, []],
    ] as const) {
      scene.fake.reset()
      scene.fake.always(status(200, { ...RESPONSE, object: 'response.compaction', input_tokens: 9 }))
      const headers = { authorization: `Bearer ${key}` }
      await scene.post(`/v3/responses/${path}`, { model: MODEL, input: [ran!, USER] }, headers)
      const steps = scene.fake.requests.length > 0 ? sentContainers() : sent
      assert.deepEqual(steps, sent, path)
    }
})

test('the same holds for a stream', async () => {
  const added = { type: 'response.output_item.added', output_index: 0, item: RAN }
  const done = { type: 'response.output_item.done', output_index: 0, item: RAN }
  const events = [{ type: 'response.created', response: { ...RESPONSE, output: [] } }, added, done]
  scene.fake.always((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of [...events, { type: 'response.completed', response: RESPONSE }])
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  })
  const reply = await scene.post('/v3/responses', { model: MODEL, input: 'Hello!', tools, stream: true })
  const text = await reply.text()
  assert.doesNotMatch(text, /"cntr_1"/)
  const [signed] = /cntr_1\.[\w-]+/.exec(text)!
  scene.fake.always(status(200, RESPONSE))
  await respond({ input: [{ ...RAN, container_id: signed }, USER] })
  assert.deepEqual(sentContainers(), ['cntr_1'])
})
