import { ADMIN_KEY, type GatewayUnderTest } from '../gateway/gateway-under-test.ts'
import { adminClient } from '../gateway/admin-client.ts'
import { insertAlert } from '../../src/platform/store/alerts/alerts.ts'
import { type TaskClient, taskClient } from '../gateway/task-client.ts'
import { ownProgram } from './own-program.ts'
import { beginSignIn, DevicePage, signAgentIn } from '../gateway/agent-client.ts'
import { invited, operator } from '../gateway/people-under-test.ts'
import { withDashes } from '../../src/base/schema/resource-id.ts'
import { ownManagement } from './own-management.ts'
import { ownPeople } from './own-people.ts'

/**
 * Ids that replace those of an example; `id` and `token` also replace those in its body. `cookie` is sent instead of a key,
 * `form` instead of a body, and `query` is added to the path.
 */
export type Own = Record<string, string | undefined>

/** What stands for the body of an operation without one. */
const NO_BODY = '""'
const PART = 'Hello'
const TASK = { model: 'text/moderation/sandbox', input: { text: 'Hello!' } }

/** Servers of the test: one that receives webhooks, and one with tools. */
type Addresses = { receiver: string; mcpServer: string }

/** Creates what an example presupposes: a file, a job, a collection, a key. */
export function ownThings(gateway: GatewayUnderTest, key: string, { receiver, mcpServer }: Addresses) {
  const { url, adminUrl } = gateway
  const client = taskClient(url, key)
  const people = ownPeople(gateway)
  return {
    for: async (path: string, body: string): Promise<Own> => {
      if (path.startsWith('/v3/manage/')) return ownManagement(gateway, path)
      if (path === '/v3/claude/oauth/token') return refreshToken(gateway)
      if (/^\/v3\/claude\/v1\/(metrics|logs|traces)$/.test(path)) return asAgent(gateway)
      if (path === '/v3/claude/managed/settings') return managed(gateway)
      if (path.startsWith('/v3/mcp/oauth/'))
        return ownProgram(gateway, path, { person: () => personWithRole(gateway), isForm: body !== NO_BODY })
      if (path === '/v3/device') return body === NO_BODY ? {} : codeOnPage(gateway)
      if (path.startsWith('/v3/claude/oauth/')) return { form: new URLSearchParams(JSON.parse(body)).toString() }
      if (path.includes('{collection_id}')) return collection(client, path)
      if (path.startsWith('/admin/jobs/')) return { job_id: await watchedJob(client, gateway, path) }
      if (path.startsWith('/admin/playground/')) return playground(adminUrl, path)
      if (path.includes('{video_id}')) return { video_id: await endedVideo(client) }
      if (path.includes('{job_id}')) return { job_id: await endedJob(client) }
      if (path.includes('{conversation_id}')) return conversation(client)
      if (path.includes('atches/{')) return await batch(client, gateway, path)
      if (path.includes('{response_id}')) return { response_id: await response(client) }
      if (path === '/assets/{asset}') return assetIn(adminUrl)
      if (path === '/docs/assets/{asset}') return assetIn(`${url}/docs`)
      if (path === '/results/{id}') return result(client)
      if (path.includes('{upload_id}')) return partUpload(client, url, key, path)
      if (path.includes('v1beta/files')) return googleFile(client, path)
      if (path === '/uploads/{upload}') return resumableUpload(client)
      if (path === '/admin/agent-sessions/lift') return { id: await countedSession(client, adminUrl) }
      if (path.includes('{agent_session}')) return { agent_session: await agentSession(client, adminUrl) }
      if (path.endsWith('{call_id}/content')) return { call_id: await recordedCall(gateway) }
      if (path.includes('{call_id}')) return { call_id: await call(client) }
      if (path.startsWith('/admin/keys/')) return { id: await otherKey(adminUrl) }
      if (path.startsWith('/admin/projects/')) return { project: await made(adminUrl, 'projects') }
      if (path.startsWith('/admin/organizations/')) return { organization: await made(adminUrl, 'organizations') }
      if (path.includes('{limit_id}')) return { limit_id: await limit(adminUrl, path.split('/')[2]!) }
      if (path.includes('{guardrail_id}')) return { guardrail_id: await guardrail(adminUrl) }
      if (path.startsWith('/admin/mcp/servers/')) return { server_name: await storedServer(adminUrl, mcpServer) }
      if (path.startsWith('/admin/credentials/')) return { id: await otherCredential(adminUrl) }
      if (path.startsWith('/admin/deliveries/')) return { id: await delivery(client, adminUrl, receiver) }
      if (path.startsWith('/admin/alerts/{')) return { id: await openAlert(gateway) }
      const own = await people(path)
      if (own) return own
      const isNamed = path.includes('{file_id}') || body.includes('file_id')
      const { file_id } = isNamed ? await client.store('Hello', 'hello.txt') : {}
      return { file_id, id: file_id }
    },
  }
}

/** A coding agent that a person has signed in with. */
async function refreshToken(gateway: GatewayUnderTest): Promise<Own> {
  const { refresh_token } = await signAgentIn(gateway.url, await personWithRole(gateway))
  return { form: new URLSearchParams({ grant_type: 'refresh_token', refresh_token }).toString() }
}

/** The server of the config file can be read, and neither changed nor deleted. */
async function storedServer(adminUrl: string, url: string): Promise<string> {
  const name = `tickets-${crypto.randomUUID().slice(0, 8)}`
  await adminClient(adminUrl).post('/admin/mcp/servers', { name, url })
  return name
}

/** The token of a session instead of a key. */
async function asAgent(gateway: GatewayUnderTest): Promise<Own> {
  const { access_token } = await signAgentIn(gateway.url, await personWithRole(gateway))
  return { headers: JSON.stringify({ authorization: `Bearer ${access_token}` }) }
}

async function managed(gateway: GatewayUnderTest): Promise<Own> {
  const claude_code_settings = { cleanupPeriodDays: 30 }
  await operator(gateway)('PATCH', '/admin/organizations/default', { claude_code_settings })
  return {}
}

/** A person on the page, and a code that waits. */
async function codeOnPage(gateway: GatewayUnderTest): Promise<Own> {
  const page = new DevicePage(gateway.url)
  await page.signIn(await personWithRole(gateway))
  const { user_code: code } = await beginSignIn(gateway.url)
  const headers = JSON.stringify({ origin: gateway.url })
  return { cookie: page.cookie, headers, form: new URLSearchParams({ step: 'code', code }).toString() }
}

async function personWithRole(gateway: GatewayUnderTest): Promise<string> {
  const email = `agent-${crypto.randomUUID()}@example.com`
  await invited(operator(gateway), gateway, { email, role: 'member' })
  return email
}

/** A job belongs to the person who has submitted it. */
async function playground(adminUrl: string, path: string): Promise<Own> {
  const query = '?kind=sandbox'
  if (!path.includes('{job_id}')) return { query }
  const submitted = await adminClient(adminUrl).post<{ job_id: string }>(
    `/admin/playground/universal-ai/async${query}`,
    TASK,
  )
  return { query, job_id: submitted.body.job_id }
}

/** Names of assets have hashes, so only a page knows them. */
async function assetIn(address: string): Promise<Own> {
  const page = await (await fetch(address)).text()
  return { asset: /\/assets\/([^"]+)/.exec(page)?.[1] }
}

async function collection(client: TaskClient, path: string): Promise<Own> {
  const { body } = await client.post<{ collection_id: string }>('/v3/universal-ai/collections', {
    model: 'image/face_recognition/amazon',
  })
  const { collection_id } = body
  const { file_id } = await client.store('Hello', 'hello.png')
  if (!path.includes('{item_id}')) return { collection_id, id: file_id }
  const added = await client.post<{ item_ids: string[] }>(`/v3/universal-ai/collections/${collection_id}/items`, {
    file: file_id,
  })
  return { collection_id, item_id: added.body.item_ids[0] }
}

async function endedJob(client: TaskClient, more: object = {}): Promise<string> {
  const { body } = await client.submit({ ...TASK, ...more })
  await client.ended(body.job_id)
  return body.job_id
}

async function endedVideo(client: TaskClient): Promise<string> {
  const { body } = await client.post<{ id: string }>('/v3/videos', { model: 'sandbox', prompt: 'Waves' })
  await client.ended(body.id)
  return body.id
}

/** A job that waits for its end, or has failed, if the operation is about such a job. */
async function watchedJob(client: TaskClient, { gateway }: GatewayUnderTest, path: string): Promise<string> {
  const id = await endedJob(client)
  const { db } = gateway.services.calls
  if (path.endsWith('/retry')) await db.query("UPDATE jobs SET state = 'fail' WHERE id = $1", [id])
  if (path.endsWith('/cancel'))
    await db.query(
      "UPDATE jobs SET state = 'running', finished_at = NULL, lease_until = steady_ms() + 60000 WHERE id = $1",
      [id],
    )
  return id
}

async function response(client: TaskClient): Promise<string> {
  const { body } = await client.post<{ id: string }>('/v3/responses', { model: 'sandbox/echo', input: 'Hello!' })
  return body.id
}

const MESSAGE = { model: 'sandbox/echo', max_tokens: 9, messages: [{ role: 'user', content: 'Hello!' }] }
const GENERATED = { request: { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] } }

/** What is to be cancelled has not ended, and everything else has. */
async function batch(client: TaskClient, { gateway }: GatewayUnderTest, path: string): Promise<Own> {
  const created = await newBatch(client, path)
  const { db } = gateway.services.calls
  const uuid = withDashes(created.replace(/^\w*[_/]/, ''))
  const isEnded = async () =>
    (await db.query('SELECT 1 FROM batches WHERE id = $1 AND ended_at > 0', [uuid])).length > 0
  while (!(await isEnded())) await new Promise((resolve) => setTimeout(resolve, 10))
  if (path.includes('cancel'))
    await db.query(
      "UPDATE batches SET state = 'in_progress', ended_at = NULL, lease_until = steady_ms() + 60000 WHERE id = $1",
      [uuid],
    )
  return { id: uuid, batch_id: created, message_batch_id: created, batch: created.replace('batches/', '') }
}

async function newBatch(client: TaskClient, path: string): Promise<string> {
  if (path.includes('v1beta')) {
    const body = { batch: { inputConfig: { requests: { requests: [GENERATED] } } } }
    const created = await client.post<{ name: string }>('/v3/v1beta/models/sandbox/echo:batchGenerateContent', body)
    return created.body.name
  }
  const isMessages = path.includes('messages')
  const requests = [isMessages ? { custom_id: 'one', params: MESSAGE } : { custom_id: 'one', body: MESSAGE }]
  const body = isMessages ? { requests } : { requests, endpoint: '/v3/chat/completions' }
  const created = await client.post<{ id: string }>(isMessages ? '/v3/v1/messages/batches' : '/v3/batches', body)
  return created.body.id
}

async function conversation(client: TaskClient): Promise<Own> {
  const items = [{ role: 'user', content: 'Hello!' }]
  const { body } = await client.post<{ id: string }>('/v3/conversations', {})
  const added = await client.post<{ data: { id: string }[] }>(`/v3/conversations/${body.id}/items`, { items })
  return { conversation_id: body.id, conversation_item_id: added.body.data[0]!.id }
}

/** The id of a call is in a header of its answer. */
async function call(client: TaskClient): Promise<string | undefined> {
  const { headers } = await client.post('/v3/universal-ai', TASK)
  return headers.get('x-request-id') ?? undefined
}

/** A session that a limit counts. */
async function countedSession(client: TaskClient, adminUrl: string): Promise<string> {
  const limit = { id: 'per-session', applies_to: 'all', per: 'session', unit: 'requests', limit: 1_000_000 }
  await fetch(`${adminUrl}/admin/rate-limits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...limit, window: 'idle:30m' }),
  })
  return await agentSession(client, adminUrl)
}

/** A call that names its session, and the id of that session. */
async function agentSession(client: TaskClient, adminUrl: string): Promise<string> {
  const body = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello!' }], session_id: 'conformance' }
  await client.post('/v3/chat/completions', body)
  const reply = await fetch(`${adminUrl}/admin/agent-sessions?session=conformance`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  })
  return ((await reply.json()) as { items: { id: string }[] }).items[0]!.id
}

/** A call with a key that is being recorded. */
async function recordedCall({ url, adminUrl, gateway }: GatewayUnderTest): Promise<string | undefined> {
  const admin = adminClient(adminUrl)
  const { id, key } = await admin.issue({ kind: 'sandbox' })
  await admin.post(`/admin/keys/${id}/record`, { requests: 1, expires_in_seconds: 3_600 })
  const called = await call(taskClient(url, key))
  await gateway.services.calls.contents.written()
  return called
}

/** The address of an image that was asked for as a link. */
async function result(client: TaskClient): Promise<Own> {
  const ask = { model: 'sandbox/image', prompt: 'A door', response_format: 'url' }
  const { body } = await client.post<{ data: { url: string }[] }>('/v3/images/generations', ask)
  const link = new URL(body.data[0]!.url)
  return { id: link.pathname.split('/').at(-1), query: link.search }
}

/** With a part, for an example that names one. */
async function partUpload(client: TaskClient, url: string, key: string, path: string): Promise<Own> {
  const needsPart = path.endsWith('/complete')
  const bytes = needsPart ? PART.length : 1_000
  const about = { filename: 'a.txt', purpose: 'user_data', mime_type: 'text/plain', bytes }
  const { id: upload_id } = (await client.post<{ id: string }>('/v3/uploads', about)).body
  if (!needsPart) return { upload_id }
  const body = new FormData()
  body.set('data', new Blob([PART]), 'part')
  const headers = { authorization: `Bearer ${key}` }
  const reply = await fetch(`${url}/v3/uploads/${upload_id}/parts`, { method: 'POST', headers, body })
  const { id: part } = (await reply.json()) as { id: string }
  return { upload_id, part }
}

const START = {
  'x-goog-upload-protocol': 'resumable',
  'x-goog-upload-command': 'start',
  'x-goog-upload-header-content-length': '5',
}

async function googleFile(client: TaskClient, path: string): Promise<Own> {
  if (path.startsWith('/v3/upload/')) return { headers: JSON.stringify(START) }
  const { file_id } = await client.store('Hello', 'hello.txt')
  return { file: file_id.replaceAll('-', '') }
}

async function resumableUpload(client: TaskClient): Promise<Own> {
  const { headers } = await client.post('/v3/upload/v1beta/files', {}, START)
  const address = new URL(headers.get('x-goog-upload-url')!)
  const command = { 'x-goog-upload-command': 'query' }
  return { upload: address.pathname.split('/').at(-1), query: address.search, headers: JSON.stringify(command) }
}

async function otherKey(adminUrl: string): Promise<string> {
  const reply = await fetch(`${adminUrl}/admin/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'to be revoked' }),
  })
  return ((await reply.json()) as { id: string }).id
}

let places = 0

async function made(adminUrl: string, what: 'projects' | 'organizations'): Promise<string> {
  const reply = await fetch(`${adminUrl}/admin/${what}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `to be changed ${++places}` }),
  })
  return ((await reply.json()) as { id: string }).id
}

async function limit(adminUrl: string, what: string): Promise<string> {
  const isBudget = what === 'budgets'
  const reply = await fetch(`${adminUrl}/admin/${what}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    // It limits no other test.
    body: JSON.stringify({
      applies_to: 'project:unknown',
      limit: 1,
      window: 'day',
      ...(!isBudget && { unit: 'requests' }),
    }),
  })
  return ((await reply.json()) as { id: string }).id
}

async function guardrail(adminUrl: string): Promise<string> {
  const reply = await fetch(`${adminUrl}/admin/guardrails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    // It holds for no other test.
    body: JSON.stringify({ applies_to: 'project:unknown', checks: [{ check: 'secrets' }], action: 'flag' }),
  })
  return ((await reply.json()) as { id: string }).id
}

async function openAlert({ gateway }: GatewayUnderTest): Promise<string> {
  const id = crypto.randomUUID()
  const alert = { id, rule: 'budget', subject: id, state: 'open', severity: 'warning', summary: 'A test.' } as const
  const more = { details: '{}', project: null, value: 1, threshold: 1, since: 1, createdAt: Date.now() }
  await gateway.services.calls.db.transaction([insertAlert({ ...alert, ...more })])
  return id
}

let credentials = 0

async function otherCredential(adminUrl: string): Promise<string> {
  const reply = await fetch(`${adminUrl}/admin/credentials`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'openai', name: `number ${++credentials}`, secret: 'not-a-key' }),
  })
  return ((await reply.json()) as { id: string }).id
}

async function delivery(client: TaskClient, adminUrl: string, receiver: string): Promise<string> {
  const job = await endedJob(client, { webhook_receiver: receiver })
  const headers = { authorization: `Bearer ${ADMIN_KEY}` }
  const reply = await fetch(`${adminUrl}/admin/deliveries?job_id=${job}`, { headers })
  return ((await reply.json()) as { items: { id: string }[] }).items[0]!.id
}
