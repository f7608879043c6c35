import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import * as samples from '../../../src/base/sniff/fixtures/small-files.ts'
import { addressVariable, type Provider } from '../../../src/platform/config/provider-settings.ts'
import type { ModelType } from '../../../src/platform/catalog/catalog.ts'
import { PROVIDERS } from '../../../src/platform/providers/providers.ts'
import { fileFieldsIn } from '../../../src/translation/tasks/file-fields.ts'
import { failure } from '../../fakes/behaviours.ts'
import { type FakeProvider, type SeenRequest, startFakeProvider } from '../../fakes/provider.ts'
import { someOf } from '../../soak/sample.ts'
import { type AdminClient, adminClient } from '../../gateway/admin-client.ts'
import { environmentFor, secretsOf, TASK_PROVIDERS, type TaskProvider } from '../../gateway/all-providers.ts'
import { temporaryFolder } from '../../gateway/gateway-process.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

// What an explanation prints is what a provider receives: for every row, every endpoint that it serves, and what makes requests special.

const SECRETS = [...secretsOf('openai'), ...secretsOf('amazon')]
const MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello!' },
]
const TOOLS = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }]
const CONTENTS = [{ role: 'user', parts: [{ text: 'Hello!' }] }]

type Shown = { method: string; url: string; headers: Record<string, string>; body: unknown }
type Target = { model: string; request: Shown | null; further_requests?: Shown[]; engines?: string[] }
type Explained = { targets: Target[]; error?: { code: string }; hooks_not_run?: string[] }
/** `sends`: how many requests it becomes, if it is more than one. */
type Asked = { path: string; body: object; sends?: number }
type View = { method: string; path: string; body: unknown }

/** Requests to a model of this type, one for each endpoint. */
const REQUESTS: Partial<Record<ModelType, (model: string) => Asked[]>> = {
  chat: (model) => [
    { path: '/v3/chat/completions', body: { model, messages: MESSAGES } },
    { path: '/v3/chat/completions', body: { model, messages: MESSAGES, stream: true, temperature: 0.5 } },
    { path: '/v3/chat/completions', body: { model, messages: MESSAGES, n: 2 } },
    { path: '/v3/chat/completions', body: { model, messages: MESSAGES, tools: TOOLS, reasoning_effort: 'low' } },
    { path: '/v3/completions', body: { model, prompt: ['Once', 'Twice'] } },
    { path: '/v3/v1/messages', body: { model, max_tokens: 2_000, messages: MESSAGES.slice(1), system: 'Be brief.' } },
    { path: '/v3/responses', body: { model, input: 'Hello!', max_output_tokens: 99 } },
    { path: '/v3/responses/compact', body: { model, input: 'Hello!' } },
    { path: `/v3/v1beta/models/${model}:generateContent`, body: { contents: CONTENTS } },
    { path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`, body: { contents: CONTENTS } },
    { path: '/v3/v2/chat', body: { model, messages: MESSAGES } },
  ],
  embedding: (model) => [
    { path: '/v3/embeddings', body: { model, input: Array.from({ length: 3 }, (_, at) => `text ${at}`) } },
    { path: '/v3/v2/embed', body: { model, texts: ['Hello!'], input_type: 'search_query' } },
    { path: `/v3/v1beta/models/${model}:embedContent`, body: { content: CONTENTS[0] } },
    { path: `/v3/v1beta/models/${model}:batchEmbedContents`, body: { requests: [{ content: CONTENTS[0] }] } },
    { path: '/v3/rerank', body: { model, query: 'Hello!', documents: ['Hi', 'Bye'] } },
  ],
  rerank: (model) => [
    { path: '/v3/rerank', body: { model, query: 'Hello!', documents: ['Hi', 'Bye'], top_n: 1 } },
    { path: '/v3/v2/rerank', body: { model, query: 'Hello!', documents: ['Hi', 'Bye'] } },
  ],
  moderation: (model) => [{ path: '/v3/moderations', body: { model, input: 'Hello!' } }],
  speech: (model) => [{ path: '/v3/audio/speech', body: { model, input: 'Hello!', voice: 'alloy' } }],
  transcription: (model) => [
    { path: '/v3/audio/transcriptions', body: { model, file_id: 'audio', language: 'en' } },
    { path: '/v3/audio/translations', body: { model, file_id: 'audio' } },
  ],
  image: (model) => [
    { path: '/v3/images/generations', body: { model, prompt: 'A door', n: 2 } },
    { path: '/v3/images/edits', body: { model, prompt: 'Add a door.', images: [{ file_id: 'image' }] } },
  ],
}

/** What one row does not show. */
const SPECIAL: Asked[] = [
  ...['openai/o3-pro', 'openai/gpt-5-pro'].flatMap((model) => [
    { path: '/v3/chat/completions', body: { model, messages: MESSAGES, n: 2 } },
    { path: '/v3/v1/messages', body: { model, max_tokens: 2_000, messages: MESSAGES.slice(1) } },
    { path: '/v3/responses', body: { model, input: 'Hello!', background: true } },
  ]),
  {
    path: '/v3/chat/completions',
    body: { model: 'openai/gpt-5.1', messages: MESSAGES, tools: TOOLS, reasoning_effort: 'high' },
  },
  {
    path: '/v3/v1/messages',
    body: {
      model: 'anthropic/claude-sonnet-4-5',
      max_tokens: 4_000,
      messages: MESSAGES.slice(1),
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
    },
  },
  {
    path: '/v3/chat/completions',
    body: { model: 'anthropic/claude-sonnet-4-5', messages: MESSAGES, tools: TOOLS, reasoning_effort: 'high', seed: 1 },
  },
  { path: '/v3/chat/completions', body: { model: 'with-defaults', messages: MESSAGES } },
  { path: '/v3/chat/completions', body: { model: 'dated', messages: MESSAGES } },
  { path: '/v3/embeddings', body: { model: 'vectors', input: 'Hello!' } },
  // A budget can pay for a part of the answer, or has to limit one without an end.
  { path: '/v3/chat/completions', body: { model: 'openai/gpt-4.1', messages: MESSAGES, max_tokens: 30_000 } },
  { path: '/v3/v1/messages', body: { model: 'openai/gpt-4.1', messages: MESSAGES.slice(1), max_tokens: 30_000 } },
  { path: '/v3/chat/completions', body: { model: 'openai/unheard-of', messages: MESSAGES } },
  // Texts are split, and sent together.
  {
    path: '/v3/embeddings',
    body: { model: 'cohere/embed-v4.0', input: Array.from({ length: 200 }, (_, at) => `text ${at}`) },
    sends: 3,
  },
  ...['openai/gpt-4o', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'].map((model) => ({
    path: '/v3/chat/completions',
    body: { model, messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'document' } }] }] },
  })),
  {
    path: '/v3/chat/completions',
    body: {
      model: 'openai/gpt-4o',
      messages: [{ role: 'user', content: 'I am jane@example.com' }],
      pre_hooks: [{ action: 'redact_pii' }, { action: 'system_prompt', params: { text: 'Be kind.' } }],
    },
  },
]

describe('an explanation', () => {
  let provider: FakeProvider
  let gateway: GatewayUnderTest
  let admin: AdminClient
  let client: TaskClient
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  /** Ids of uploads, and their content, by the names that stand for them above. */
  const files = new Map<string, { id: string; content: Uint8Array }>()

  before(async () => {
    provider = await startFakeProvider({ everyPath: true })
    folder = await temporaryFolder()
    const file = join(folder.path, 'config.json')
    const dated = { model: 'azure/gpt-4o', deployment: 'mine', apiVersion: '2024-10-21' }
    const aliases = {
      'with-defaults': { targets: [{ model: 'openai/gpt-4o' }], defaults: { temperature: 0, max_tokens: 77 } },
      vectors: { targets: [{ model: 'openai/text-embedding-3-small' }], defaults: { dimensions: 8 } },
      dated: { targets: [dated] },
    }
    const models = ['openai/gpt-4.1', 'openai/unheard-of']
    const budget = {
      id: 'small',
      appliesTo: 'all',
      limit: 0.05,
      window: 'month',
      models,
      assume: { input: 1, output: 10 },
    }
    await writeFile(file, JSON.stringify({ aliases, budgets: [{ ...budget, onExceeded: 'clamp' }] }))
    gateway = await startGateway({ env: { ...environment(provider.url), GATEHOUSE_CONFIG: file } })
    admin = adminClient(gateway.adminUrl)
    client = taskClient(gateway.url)
    await store('image', samples.png(4, 4), 'a.png')
    await store('audio', samples.mp3(), 'a.mp3')
    await store('video', samples.ftyp('isom', 'mp42'), 'a.mp4')
    await store('letter', samples.office('word'), 'a.docx')
    await store('document', Buffer.from('%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n%%EOF\n'), 'a.pdf')
  })
  after(async () => {
    await provider?.close()
    await folder?.remove()
    await gateway?.close()
  })

  async function store(name: string, content: Uint8Array, filename: string): Promise<void> {
    const { file_id } = await client.store(content, filename)
    files.set(name, { id: file_id, content })
  }

  test('prints what every provider receives, at every endpoint that it serves', async () => {
    const { config, catalog } = gateway.gateway.services.calls
    const rows = Object.values(config.providers).filter(isReachable)
    assert.ok(rows.length > 60, `only ${rows.length} rows are configured`)
    const asked = rows.flatMap(({ id }) => {
      const models = Map.groupBy(
        catalog.list().filter((one) => one.provider === id),
        ({ type }) => type,
      )
      return [...models].flatMap(([type, [model]]) => REQUESTS[type]?.(`${id}/${model!.id}`) ?? [])
    })
    let sent = 0
    for (const one of someOf(asked, 0, 40)) sent += await compare(one)
    assert.ok(sent > 20)
  })

  for (const asked of SPECIAL)
    test(`prints what is sent for ${JSON.stringify(asked.body).slice(0, 120)}`, async () => {
      assert.ok((await compare(asked)) > 0, 'nothing was sent')
    })

  test('prints what every adapter of tasks sends', async () => {
    let sent = 0
    for (const adapter of someOf(TASK_PROVIDERS, 0, 25)) {
      const path = adapter.feature.mode === 'sync' ? '/v3/universal-ai' : '/v3/universal-ai/async'
      sent += await compare({ path, body: { model: adapter.address, input: inputOf(adapter) } })
    }
    assert.ok(sent > 15)
  })

  test('prints what is sent for tasks that models do', async () => {
    const input = { text: 'A long text.' }
    const image = 'image/generation/openai/gpt-image-1'
    for (const body of [
      { model: 'text/summarize/openai/gpt-4o', input },
      { model: 'text/embeddings/openai/text-embedding-3-small', input: { texts: ['Hello!'] } },
      { model: image, input: { text: 'A door', resolution: '1024x1024', num_images: 1 } },
    ])
      assert.ok((await compare({ path: '/v3/universal-ai', body })) > 0, JSON.stringify(body))
  })

  test('of a local engine is its name, and the engine does nothing', async () => {
    const body = { model: 'translation/language_detection/local', input: { text: 'Bonjour tout le monde' } }
    const { targets } = await explained({ path: '/v3/universal-ai', body })
    assert.deepEqual([targets[0]!.request, targets[0]!.engines?.length], [null, 1])
  })

  test('names hooks that would ask a model, and does not run them', async () => {
    const pre_hooks = [{ action: 'moderate', params: { provider: 'openai' } }]
    const body = { model: 'openai/gpt-4o', messages: MESSAGES, pre_hooks }
    const { targets, hooks_not_run } = await explained({ path: '/v3/chat/completions', body })
    assert.deepEqual([hooks_not_run, targets.length], [['moderate'], 1])
  })

  test('fetches no address, and says which file it stands for', async () => {
    const url = 'http://127.0.0.1:1/secret/letter.pdf'
    const content = [{ type: 'file', file: { file_id: url } }]
    const body = { model: 'anthropic/claude-sonnet-4-5', messages: [{ role: 'user', content }] }
    const { targets } = await explained({ path: '/v3/chat/completions', body })
    assert.match(JSON.stringify(targets[0]!.request), /"data":"\[file http:\/\/127\.0\.0\.1:1\/secret\/letter\.pdf\]"/)
  })

  test('leaves no trace: no ledger line, nothing spent, no circuit, no log of a call', async () => {
    const before = await traces()
    for (const asked of SPECIAL.slice(0, 8)) await explained(asked)
    await admin.post('/admin/explain', {
      endpoint: '/v3/chat/completions',
      body: { model: 'openai/none-such', messages: [] },
    })
    assert.deepEqual(await traces(), before)
  })

  test('of an unknown endpoint, or of a body that the endpoint refuses, is that refusal', async () => {
    const unknown = await admin.post<Explained>('/admin/explain', { endpoint: '/v3/models', body: {} })
    assert.deepEqual([unknown.status, unknown.body.error?.code], [422, 'validation_error'])
    const empty = await admin.post<Explained>('/admin/explain', { endpoint: '/v3/embeddings', body: { input: 'x' } })
    assert.deepEqual([empty.status, /model: Field required/.test(empty.text)], [422, true])
  })

  async function traces(): Promise<unknown> {
    await gateway.gateway.services.calls.ledger.flush()
    const [requests, budgets, targets] = await Promise.all([
      admin.get<{ items: unknown[] }>('/admin/requests?limit=100'),
      admin.get<{ items: unknown[] }>('/admin/budgets'),
      admin.get<{ circuits: unknown; observed: unknown }>('/admin/targets'),
    ])
    const { circuits, observed } = targets.body
    return { requests: requests.body.items, budgets: budgets.body.items, circuits, observed }
  }

  /** Makes the call, explains it, and compares. Returns how many requests the provider received. */
  async function compare(named: Asked): Promise<number> {
    const asked: Asked = { ...named, body: withIds(named.body) }
    const received = await call(asked)
    provider.reset()
    const about = `${asked.path} ${JSON.stringify(asked.body)}`
    const { status, body, text } = await admin.post<Explained>('/admin/explain', {
      endpoint: asked.path,
      body: asked.body,
    })
    assert.equal(provider.requests.length, 0, about)
    for (const secret of SECRETS) assert.ok(!text.includes(secret), `${about}: ${text}`)
    if (received.requests.length === 0) {
      assert.deepEqual([status, body.error?.code], [received.status, received.code], `${about}: ${text}`)
      return 0
    }
    assert.equal(status, 200, `${about}: ${text}`)
    const [target] = body.targets
    const shown = [target!.request!, ...(target!.further_requests ?? [])].map(viewOfShown)
    assert.deepEqual(sorted(shown), sorted(received.requests.map(viewOfSeen)), about)
    return shown.length
  }

  async function explained({ path, body }: Asked): Promise<Explained> {
    const reply = await admin.post<Explained>('/admin/explain', { endpoint: path, body: withIds(body) })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }

  /** A provider that refuses is asked once. */
  async function call({ path, body, sends }: Asked) {
    provider.reset()
    // What is sent together has arrived before any of it is refused.
    provider.always(async (request, response) => {
      if (sends) await provider.request(sends - 1)
      return failure(400)(request, response)
    })
    const reply = await client.post<{ error?: { code: string }; public_id?: string; id?: string }>(path, body)
    if (reply.body.public_id) await client.ended(reply.body.public_id)
    if ('background' in body) await provider.request(0)
    // Local servers are asked for their models.
    const requests = provider.requests.filter(({ method, path: at }) => method !== 'GET' || !at.endsWith('/models'))
    return { requests, status: reply.status, code: reply.body.error?.code }
  }

  function withIds(body: object): object {
    const text = [...files].reduce(
      (all, [name, { id }]) => all.replaceAll(`"file_id":"${name}"`, `"file_id":"${id}"`),
      JSON.stringify(body),
    )
    return JSON.parse(text)
  }

  function inputOf({ feature }: TaskProvider): object {
    const own: Record<string, string> = { ocr: 'image', translation: 'letter', text: 'letter' }
    const { id } = files.get(own[feature.feature] ?? feature.feature) ?? files.get('image')!
    const example = feature.example.input as object
    const fields = fileFieldsIn(feature.input).filter((field) => field in example)
    return { ...example, ...Object.fromEntries(fields.map((field) => [field, id])) }
  }

  function viewOfShown({ method, url, headers, body }: Shown): View {
    const { pathname, search } = new URL(url)
    const isForm = Object.values(headers).includes('multipart/form-data')
    return { method, path: pathname + search, body: isForm ? (body as object[]).map(withoutContent) : body }
  }

  function viewOfSeen({ method, path, headers, text: sent }: SeenRequest): View {
    const [, boundary] = /boundary="?([^";]+)/.exec(String(headers['content-type'])) ?? []
    const text = sent.replaceAll(/http:[^"]*\/results\/[^"]*/g, '[link to a.png]')
    const body = boundary
      ? partsOf(text, boundary)
          .filter(({ content }) => !hasSecret(content))
          .map(withoutContent)
      : bodyOf(withNames(text))
    return { method, path: withoutSecrets(path), body }
  }

  /** Files as they are named. */
  function withNames(text: string): string {
    return [...files.values()].reduce((all, { id, content }) => {
      const bytes = Buffer.from(content)
      return all.replaceAll(bytes.toString('base64'), `[file ${id}]`).replaceAll(bytes.toString('utf8'), `[file ${id}]`)
    }, text)
  }
})

/** Tokens that are exchanged for others come from addresses that are not those of this test. */
function isReachable({ id, configured, simulated, credentials }: Provider): boolean {
  return configured && !simulated && id !== 'local' && credentials.every(({ exchange }) => !exchange)
}

/** Every row that can be configured: at the fake, with a secret of the test. */
function environment(url: string): Record<string, string> {
  const [secret = ''] = secretsOf('openai')
  const rows = Object.values(PROVIDERS).map((row): Record<string, string> => {
    const address = addressVariable(row)
    const params = Object.keys(row.params ?? {}).map((name) => [name, name === 'AWS_REGION' ? 'us-east-1' : 'test'])
    return {
      ...Object.fromEntries(params),
      ...(row.auth.env && { [row.auth.env]: secret }),
      ...(address && { [address]: url }),
    }
  })
  const { GOOGLE_APPLICATION_CREDENTIALS: _, ...settings } = Object.assign({}, ...rows, environmentFor(url))
  return settings
}

function bodyOf(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text, (_, value) => (hasSecret(value) ? undefined : value))
  } catch {
    return text
      .split('&')
      .filter((pair) => !hasSecret(decodeURIComponent(pair)))
      .join('&')
  }
}

/** The content of a file is not text. */
function withoutContent(part: unknown) {
  const { content, ...about } = part as { content: unknown; filename?: string }
  return about.filename === undefined ? { ...about, content } : about
}

function partsOf(text: string, boundary: string) {
  return text
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const end = part.indexOf('\r\n\r\n')
      const head = part.slice(0, end)
      const filename = /filename="([^"]*)"/.exec(head)?.[1]
      const type = /content-type: (.+)/i.exec(head)?.[1]?.trim()
      const name = / name="([^"]*)"/.exec(head)?.[1]
      const about = { name, ...(filename !== undefined && { filename }), ...(type !== undefined && { type }) }
      return { ...about, content: part.slice(end + 4, -2) }
    })
}

function hasSecret(value: unknown): boolean {
  return typeof value === 'string' && SECRETS.some((secret) => value.includes(secret))
}

function withoutSecrets(path: string): string {
  const [plain = '', query] = path.split('?')
  const pairs = query?.split('&').filter((pair) => !hasSecret(decodeURIComponent(pair)))
  return pairs?.length ? `${plain}?${pairs.join('&')}` : plain
}

/** Names that are new for each request are all the same here; those of files are not new. */
function withoutIds(view: View): View {
  return JSON.parse(JSON.stringify(view).replaceAll(/(?<!\[file )[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'id'))
}

function sorted(views: View[]): View[] {
  return views.map(withoutIds).toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}
