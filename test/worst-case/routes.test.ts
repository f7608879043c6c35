import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { API_ROUTES } from '../../src/http/routes/api-routes.ts'
import { ADMIN_ROUTES } from '../../src/http/routes/admin-routes.ts'
import type { Route } from '../../src/http/route.ts'
import { PREFIX } from '../../src/endpoints/mcp/offered-tool.ts'
import { type FakeMcpServer, startMcpServer } from '../fakes/mcp-server.ts'
import { ADMIN_KEY } from '../gateway/gateway-under-test.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { sample } from '../soak/sample.ts'
import { assertUnblocked } from './drive.ts'
import { VALUES_OF_EVERY_SHAPE } from './json-shapes.ts'
import { type ProbedGateway, startProbedGateway } from './probed-gateway.ts'
import { MB } from '../../src/base/units/units.ts'

// Fills every field of every JSON route with the hardest JSON that its limits allow: the gateway survives, answers, and
// serves others in between. `npm test` tries one shape for every seventh field, `npm run soak` tries two larger ones for each.

const BYTES = sample(0.125, 4) * MB
const EVERY = sample(7, 1)
const SHAPES_PER_FIELD = sample(1, 2)
const HEAP_MB = sample(256, 512)
const SOME_ID = '00000000-0000-4000-8000-000000000000'
const SOME_CONVERSATION = `conv_${'0'.repeat(32)}`

const CONTENTS = [{ role: 'user', parts: [{ text: 'Hi' }] }]
const CHAT = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }

const SERVER = 'tickets'
const TOOL_CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call' }

/** What a body needs besides the field in question for that field to be read. */
const VALID: Record<string, object> = {
  'PATCH /admin/config': { log_level: 'info' },
  'POST /admin/agent-sessions/lift': { limit_id: 'a', id: 'b' },
  'POST /v3/chat/completions': CHAT,
  'POST /v3/claude/v1/metrics': { resourceMetrics: [] },
  'POST /v3/claude/v1/logs': { resourceLogs: [] },
  'POST /v3/claude/v1/traces': { resourceSpans: [] },
  'POST /v3/completions': { model: CHAT.model, prompt: 'Hi' },
  'POST /v3/v1/messages': { ...CHAT, max_tokens: 10 },
  'POST /v3/v1beta/models/{model}:generateContent': { contents: CONTENTS },
  'POST /v3/v1beta/models/{model}:streamGenerateContent': { contents: CONTENTS },
  'POST /v3/v1beta/models/{model}:countTokens': { contents: CONTENTS },
  'POST /v3/v1beta/models/{model}:embedContent': { content: CONTENTS[0] },
  'POST /v3/v1beta/models/{model}:batchEmbedContents': { requests: [{ content: CONTENTS[0] }] },
  'POST /v3/responses': { model: CHAT.model, input: 'Hi' },
  'POST /v3/responses/input_tokens': { model: 'mistral/mistral-small-latest', input: 'Hi' },
  'POST /v3/responses/compact': { model: 'openai/gpt-5.4', input: 'Hi' },
  'POST /v3/batches': {
    endpoint: '/v3/chat/completions',
    requests: [{ custom_id: 'a', body: { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hi' }] } }],
    metadata: { a: 'b' },
  },
  'POST /v3/v1/messages/batches': {
    requests: [
      { custom_id: 'a', params: { model: 'sandbox/echo', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] } },
    ],
  },
  'POST /v3/v1beta/models/{model}:batchGenerateContent': {
    batch: { inputConfig: { requests: { requests: [{ request: { contents: [{ parts: [{ text: 'Hi' }] }] } }] } } },
  },
  'POST /v3/mcp': {
    ...TOOL_CALL,
    params: { name: `${PREFIX}ask_model`, arguments: { model: 'sandbox/echo', prompt: 'Hi' } },
  },
  'POST /v3/mcp/oauth/register': { redirect_uris: ['http://127.0.0.1:8976/callback'], client_name: 'An editor' },
  'POST /v3/mcp/{server_name}': { ...TOOL_CALL, params: { name: 'find', arguments: { word: 'Hi' } } },
  'POST /v3/conversations': { metadata: { a: 'b' } },
  'POST /v3/conversations/{conversation_id}': { metadata: { a: 'b' } },
  'POST /v3/conversations/{conversation_id}/items': { items: [{ role: 'user', content: 'Hi' }] },
  'POST /v3/embeddings': { model: 'openai/text-embedding-3-small', input: 'Hi' },
  'POST /v3/rerank': { model: 'sandbox/rerank', query: 'Hi', documents: ['Hi'] },
  'POST /v3/v2/chat': CHAT,
  'POST /v3/v2/rerank': { model: 'sandbox/rerank', query: 'Hi', documents: ['Hi'] },
  'POST /v3/v2/embed': { model: 'openai/text-embedding-3-small', texts: ['Hi'] },
  'POST /v3/videos': { model: 'sandbox', prompt: 'Waves' },
  'POST /v3/ocr': { model: 'sandbox', document: { type: 'image_url', image_url: 'data:image/png;base64,AA==' } },
  'POST /v3/search': { model: 'sandbox', query: 'Alps' },
  'POST /v3/search/{provider}': { query: 'Alps' },
  'POST /v3/moderations': { model: 'openai/omni-moderation-latest', input: 'Hi' },
  'POST /v3/audio/speech': { model: 'openai/tts-1', input: 'Hi', voice: 'alloy' },
  'POST /v3/audio/transcriptions': { model: 'openai/whisper-1', file_id: SOME_ID },
  'POST /v3/audio/translations': { model: 'openai/whisper-1', file_id: SOME_ID },
  'POST /v3/v1/messages/count_tokens': { model: 'mistral/mistral-small-latest', messages: CHAT.messages },
  'POST /v3/images/generations': { model: 'sandbox/image', prompt: 'A cat' },
  'POST /v3/images/edits': { model: 'sandbox/image', prompt: 'A cat', images: [] },
  'POST /v3/universal-ai': { model: 'text/moderation/local', input: { text: 'Hi' } },
  'POST /v3/universal-ai/async': { model: 'text/moderation/sandbox', input: { text: 'Hi' } },
  'POST /v3/universal-ai/collections': { model: 'image/face_recognition/sandbox', name: 'faces' },
  'POST /v3/universal-ai/collections/{collection_id}/items': { file: 'https://example.org/a.png' },
  'POST /v3/upload/delete': { file_ids: [] },
  'POST /v3/uploads': { filename: 'a.txt', purpose: 'x', bytes: 1, mime_type: 'text/plain' },
  'POST /v3/uploads/{upload_id}/complete': { part_ids: [] },
  'POST /v3/upload/v1beta/files': { file: {} },
  'POST /uploads/{upload}': {},
  'POST /v3/manage/auth-keys': { name: 'a key', scopes: ['manage:read'] },
  'POST /v3/manage/keys': { name: 'a key' },
  'PATCH /v3/manage/keys/{id}': { name: 'a key' },
  'PATCH /v3/manage/members/{email}/role': { role: 'member' },
  'POST /admin/keys': { name: 'a key' },
  'POST /admin/keys/preview': { scopes: ['chat'] },
  'PATCH /admin/keys/{id}': { name: 'a key' },
  'POST /admin/keys/{id}/rotate': { overlap_seconds: 0 },
  'POST /admin/keys/{id}/record': { requests: 20, expires_in_seconds: 3_600 },
  'POST /admin/budgets': { applies_to: 'all', limit: 50, window: 'month' },
  'PATCH /admin/budgets/{limit_id}': { limit: 80 },
  'POST /admin/guardrails': {
    applies_to: 'project:unknown',
    checks: [{ check: 'patterns', words: ['a'] }],
    action: 'flag',
  },
  'POST /admin/guardrails/test': { checks: [{ check: 'patterns', words: ['a'] }], action: 'flag', text: 'Hi' },
  'POST /admin/guardrails/replay': {
    checks: [{ check: 'patterns', words: ['a'] }],
    action: 'flag',
    project: 'default',
  },
  'PATCH /admin/guardrails/{guardrail_id}': { mode: 'shadow' },
  'POST /admin/budgets/simulate': { applies_to: 'all', limit: 50, window: 'month', days: 30 },
  'POST /admin/rate-limits/simulate': { applies_to: 'all', unit: 'tokens', limit: 60, window: 'minute' },
  'POST /admin/rate-limits': { applies_to: 'all', unit: 'requests', limit: 60, window: 'minute' },
  'PATCH /admin/rate-limits/{limit_id}': { limit: 80 },
  'POST /admin/alerts/test': { receiver: 'ops' },
  'POST /admin/projects': { name: 'a project' },
  'PATCH /admin/projects/{project}': { name: 'a project' },
  'POST /admin/organizations': { name: 'an organization' },
  'PATCH /admin/organizations/{organization}': { name: 'an organization' },
  'POST /admin/aliases': { name: 'fast', targets: [{ model: CHAT.model }] },
  'PATCH /admin/aliases/{alias}': { targets: [{ model: CHAT.model }] },
  'POST /admin/credentials': { provider: 'openai', name: 'a', secret: 'sk-y' },
  'PATCH /admin/credentials/{id}': { name: 'b' },
  'POST /admin/mcp/servers': { name: 'tickets', url: 'https://mcp.example/mcp' },
  'PATCH /admin/mcp/servers/{server_name}': { tools: { deny: ['x'] } },
  'POST /admin/explain': CHAT,
  'POST /admin/models/test': { model: 'sandbox/echo' },
  'POST /admin/playground/chat/completions': CHAT,
  'POST /admin/playground/mcp/{server_name}': { jsonrpc: '2.0', id: 1, method: 'ping' },
  'POST /admin/playground/embeddings': { model: 'openai/text-embedding-3-small', input: 'Hi' },
  'POST /admin/playground/images/generations': { model: 'sandbox/image', prompt: 'A cat' },
  'POST /admin/playground/audio/speech': { model: 'openai/tts-1', input: 'Hi', voice: 'alloy' },
  'POST /admin/playground/universal-ai': { model: 'text/moderation/local', input: { text: 'Hi' } },
  'POST /admin/playground/universal-ai/async': { model: 'text/moderation/local', input: { text: 'Hi' } },
  'POST /admin/keys/bulk': { action: 'revoke', filter: {} },
  'POST /admin/jobs/bulk': { action: 'retry', filter: {} },
  'POST /admin/deliveries/redeliver': { filter: {} },
  'POST /admin/deliveries/test': { url: 'https://hooks.example/gatehouse' },
  'POST /admin/setup': { token: 'x', email: 'a@example.com', name: 'A', password: 'a long password' },
  'POST /admin/sessions': { email: 'a@example.com', password: 'a long password' },
  'PATCH /admin/me': { name: 'A' },
  'POST /admin/me/identity': { provider: 'company', current_password: 'x' },
  'POST /admin/users': { name: 'a robot' },
  'PATCH /admin/users/{id}': { name: 'A' },
  'POST /admin/users/{id}/tokens': { name: 'a token' },
  'POST /admin/members': { user: SOME_ID, role: 'member' },
  'PATCH /admin/members/{id}': { role: 'member' },
  'POST /admin/invitations': { email: 'a@example.com', role: 'member' },
  'POST /admin/invitations/accept': { token: 'x', name: 'A', password: 'a long password' },
}

let gateway: ProbedGateway
let provider: FakeProvider
let tools: FakeMcpServer
let folder: string
before(async () => {
  provider = await startFakeProvider({ everyPath: true })
  tools = await startMcpServer()
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-routes-'))
  const config = join(folder, 'config.json')
  await writeFile(config, JSON.stringify({ mcp: { servers: { [SERVER]: { url: tools.url } } } }))
  const env = { GATEHOUSE_ADMIN_KEY: ADMIN_KEY, OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.url }
  gateway = await startProbedGateway(HEAP_MB, { ...env, GATEHOUSE_CONFIG: config, ALLOW_NETWORKS: '127.0.0.0/8' })
})
after(async () => {
  await gateway.close()
  await Promise.all([provider.close(), tools.close()])
  await rm(folder, { recursive: true })
})

let fields = 0
let next = 0
for (const route of [...API_ROUTES, ...ADMIN_ROUTES].filter(({ body }) => body)) {
  const name = `${route.method} ${route.path}`
  test(`${name}: no field of its body stops or stalls the gateway`, async () => {
    const valid = VALID[name]
    assert.ok(valid, 'This route needs a line in VALID')
    for (const field of [...fieldsOf(route), 'unknown_field'].filter(() => fields++ % EVERY === 0))
      for (const shape of nextShapes())
        await assertUnblocked(gateway, {
          name: `${name}, ${field} = ${shape.name}`,
          method: route.method,
          path: pathOf(route),
          body: (share) => bodyWith(field, shape.text(BYTES * share, share), valid),
        })
  })
}

test('it is still there, in the memory that is documented', () => gateway.assertBounded({ requests: 1 }))

function pathOf(route: Route): string {
  const names = { model: modelFor(route), alias: 'fast', conversation_id: SOME_CONVERSATION, server_name: SERVER }
  return route.path.replace(/\{(\w+)\}/g, (_, name) => names[name as keyof typeof names] ?? SOME_ID)
}

function modelFor({ path }: Route): string {
  return /embed/i.test(path) ? 'openai/text-embedding-3-small' : CHAT.model
}

type Form = { properties?: object; anyOf?: { properties: object }[] }

/** A body may have several forms, or one that only the document tells. */
function fieldsOf({ body }: Route): string[] {
  const { printed, ...form } = body as unknown as Form & { printed?: Form }
  const { properties, anyOf = [] } = printed ?? form
  return [properties ?? {}, ...anyOf.map((form) => form.properties)].flatMap((form) => Object.keys(form))
}

/** Rotates, so that every shape is used for some field of most routes. */
function nextShapes() {
  const from = next
  next += SHAPES_PER_FIELD
  const all = VALUES_OF_EVERY_SHAPE
  return Array.from({ length: SHAPES_PER_FIELD }, (_, at) => all[(from + at) % all.length]!)
}

function bodyWith(field: string, value: string, valid: object): Buffer {
  const others = Object.entries(valid).filter(([name]) => name !== field)
  const members = others.map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`)
  return Buffer.from(`{${[...members, `${JSON.stringify(field)}:${value}`].join(',')}}`)
}
