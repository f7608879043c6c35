import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { UsageReport } from '../../../src/contract/admin/usage.ts'
import { noteExpiry } from '../../../src/platform/store/ledger/expire-lines.ts'
import { rollUpAll } from '../../../src/platform/store/ledger/roll-up-batches.ts'
import { EXAMPLES } from '../../../src/http/openapi/examples.ts'
import { type AdminClient, adminClient, type Refusal } from '../../gateway/admin-client.ts'
import { formOf } from '../../gateway/form.ts'
import { ADMIN_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { DAY_MS } from '../../../src/base/units/units.ts'

type Line = { end_user: string; tags: string; requested_model: string; project: string; organization: string }

const LABELS = { user: 'mia', metadata: { team: 'search', n: 1 } }
const TAGS = { 'x-gatehouse-tags': 'env=prod' }
const CONTENTS = EXAMPLES.GenerateContentRequest as object
const FORM = formOf([
  { name: 'model', content: 'openai/whisper-1' },
  { name: 'user', content: 'mia' },
  { name: 'file', content: 'RIFF', filename: 'a.wav', type: 'audio/wav' },
])

/** Every endpoint that can spend: its path, its body, and what it says about itself beside `env`. */
const ENDPOINTS: [path: string, body: object, model: string, tags?: object][] = [
  ['/v3/chat/completions', { ...(EXAMPLES.ChatRequest as object), ...LABELS }, 'sandbox/echo'],
  ['/v3/chat/completions', { ...(EXAMPLES.ChatRequest as object), ...LABELS, stream: true }, 'sandbox/echo'],
  ['/v3/responses', { ...(EXAMPLES.ResponsesRequest as object), ...LABELS }, 'sandbox/echo'],
  [
    '/v3/v1/messages',
    { ...(EXAMPLES.MessagesRequest as object), metadata: { user_id: 'mia', team: 'search' } },
    'sandbox/echo',
  ],
  [
    '/v3/v1beta/models/sandbox/echo:generateContent',
    { ...CONTENTS, labels: { team: 'search' }, user: 'mia' },
    'sandbox/echo',
  ],
  ['/v3/embeddings', { ...(EXAMPLES.EmbeddingsRequest as object), ...LABELS }, 'openai/text-embedding-3-small'],
  [
    '/v3/moderations',
    { input: 'Hello!', model: 'openai/omni-moderation-latest', ...LABELS },
    'openai/omni-moderation-latest',
  ],
  ['/v3/images/generations', { ...(EXAMPLES.ImageGenerationRequest as object), ...LABELS }, 'sandbox/image'],
  ['/v3/images/edits', { ...(EXAMPLES.ImageEditRequest as object), ...LABELS }, 'sandbox/image'],
  ['/v3/audio/speech', { ...(EXAMPLES.SpeechRequest as object), ...LABELS }, 'openai/tts-1'],
  ['/v3/audio/transcriptions', FORM, 'openai/whisper-1', {}],
  ['/v3/universal-ai', { ...(EXAMPLES.UniversalRequest as object), ...LABELS }, 'text/moderation/sandbox'],
  ['/v3/universal-ai/async', { ...(EXAMPLES.UniversalRequest as object), ...LABELS }, 'text/moderation/sandbox'],
]

describe('what callers say about their calls', () => {
  let gateway: GatewayUnderTest
  let admin: AdminClient
  let key: string
  let keyId: string
  /** The day on which the tests began. They may end on the next one. */
  const began = today()
  before(async () => {
    gateway = await startGateway()
    admin = adminClient(gateway.adminUrl)
    const issued = await admin.issue({ kind: 'sandbox', name: 'Mia and friends' })
    key = issued.key
    keyId = issued.id
  })
  after(() => gateway.close())

  for (const [path, body, model, tags = { team: 'search' }] of ENDPOINTS)
    test(`is in the ledger: ${path}${'stream' in body ? ', streamed' : ''}`, async () => {
      const { ledger, db } = gateway.gateway.services.calls
      await ledger.flush()
      await rollUpAll(db)
      await db.query('DELETE FROM usage')
      const response = await post(path, body)
      const text = await response.text()
      assert.ok(response.ok, `${response.status} ${text}`)
      const [line] = await untilLine()
      assert.deepEqual(
        { ...line!, tags: JSON.parse(line!.tags) },
        {
          end_user: 'mia',
          tags: { env: 'prod', ...tags },
          requested_model: model,
          project: 'personal',
          organization: 'default',
        },
      )
    })

  test('a header of tags that cannot be read is refused, and no provider is called', async () => {
    for (const [path, body] of ENDPOINTS) {
      const response = await post(path, body, { 'x-gatehouse-tags': 'no pair' })
      assert.equal(response.status, 422, path)
      assert.match(await response.text(), /x-gatehouse-tags/)
    }
  })

  test('reports group by it and filter by it, with names, and have the same total', async () => {
    await ask({ user: 'zoe', metadata: { team: '=1+1' } })
    await ask({ user: 'zoe' })
    await ask({})
    const { total } = await report('group_by=model')
    for (const group of ['end_user', 'tag:team', 'tag:env', 'tag:none', 'project', 'user', 'requested_model'])
      assert.deepEqual((await report(`group_by=${group}`)).total, total, group)
    const byUser = countsOf(await report('group_by=end_user'))
    assert.equal(byUser.zoe, 2)
    assert.ok(byUser.mia! >= ENDPOINTS.length - 2 && byUser['']! >= 1)
    assert.deepEqual(countsOf(await report('group_by=tag:team&end_user=zoe')), { '=1+1': 1, '': 1 })
    assert.deepEqual(countsOf(await report('group_by=end_user&tag=team%3D%3D1%2B1')), { zoe: 1 })
    assert.deepEqual(countsOf(await report(`group_by=project&key=${keyId}&status=2xx&end_user=zoe`)), { personal: 2 })
    const [named] = (await report(`group_by=key&end_user=zoe`)).items
    assert.deepEqual([named!.group, named!.name], [keyId, 'Mia and friends'])
    assert.deepEqual(countsOf(await report(`group_by=endpoint&end_user=unknown`)), {})
    const days = Object.keys(countsOf(await report('group_by=day&project=personal')))
    assert.ok(days.length > 0 && days.every((day) => [began, today()].includes(day)), String(days))
  })

  test('a deleted key keeps its name in reports', async () => {
    const other = await admin.issue({ kind: 'sandbox', name: 'Gone soon' })
    await post('/v3/chat/completions', EXAMPLES.ChatRequest as object, { authorization: `Bearer ${other.key}` })
    await admin.delete(`/admin/keys/${other.id}`)
    const found = (await report('group_by=key')).items.find(({ group }) => group === other.id)
    assert.equal(found?.name, 'Gone soon')
  })

  test('a report by user has the name of who is behind the key', async () => {
    const made = await admin.post<{ id: string }>('/admin/users', { name: 'Ada', kind: 'service' })
    assert.equal(made.status, 201, made.text)
    const { id } = made.body
    const { key: hers } = await admin.issue({ kind: 'sandbox', name: 'Hers', user: id })
    await post('/v3/chat/completions', EXAMPLES.ChatRequest as object, { authorization: `Bearer ${hers}` })
    const found = (await report('group_by=user')).items.find(({ group }) => group === id)
    assert.equal(found?.name, 'Ada')
  })

  test('pages have all groups once', async () => {
    const all = (await report('group_by=end_user')).items.map(({ group }) => group)
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const page = await report(`group_by=end_user&limit=1${cursor}`)
      seen.push(...page.items.map(({ group }) => group))
      if (page.next_cursor === null) break
      cursor = `&cursor=${page.next_cursor}`
    }
    assert.deepEqual(seen, all)
  })

  test('a report can be a table for spreadsheets, without formulas', async () => {
    const response = await fetch(`${gateway.adminUrl}/admin/usage?group_by=tag:team&format=csv`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    })
    assert.match(response.headers.get('content-type')!, /^text\/csv/)
    const lines = (await response.text()).split('\r\n')
    assert.match(lines[0]!, /^tag:team,name,requests,failed_requests,.*cost,latency_p50_ms/)
    assert.ok(lines.some((line) => line.startsWith("'=1+1,,1,0,")))
    assert.equal(lines.at(-1), '')
  })

  test('a query with a name that reports do not have is refused', async () => {
    for (const [query, field] of [
      ['projekt=x', 'projekt'],
      ['group_by=tag:', 'group_by'],
      ['tag=team', 'tag'],
      ['status=9xx', 'status'],
      ['min_cost=-1', 'min_cost'],
      ['fallback=maybe', 'fallback'],
      ['format=xml', 'format'],
      ['limit=0', 'limit'],
    ] as const) {
      const { status, body } = await admin.get<Refusal>(`/admin/usage?${query}`)
      assert.deepEqual([status, body.detail[0]!.loc], [422, ['query', field]], query)
    }
  })

  test('a filter that needs single calls is refused for a time in which there are none left', async () => {
    const { db } = gateway.gateway.services.calls
    const until = Date.now() - 40 * DAY_MS
    await db.transaction([noteExpiry(until)])
    const old = `from=${until - 1000}`
    assert.equal((await admin.get<Refusal>(`/admin/usage?group_by=model&end_user=zoe&${old}`)).status, 422)
    assert.equal((await admin.get<Refusal>(`/admin/usage?group_by=day&project=personal&${old}`)).status, 200)
  })

  function post(path: string, body: object, more: Record<string, string> = {}): Promise<Response> {
    const isForm = 'body' in body
    const headers = { authorization: `Bearer ${key}`, ...TAGS, ...more }
    const type = isForm ? (body as typeof FORM).type : 'application/json'
    return fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': type, ...headers },
      body: isForm ? new Uint8Array((body as typeof FORM).body) : JSON.stringify(body),
    })
  }

  async function ask(more: object): Promise<void> {
    const response = await post(
      '/v3/chat/completions',
      { ...(EXAMPLES.ChatRequest as object), ...more },
      { 'x-gatehouse-tags': 'env=test' },
    )
    assert.equal(response.status, 200)
    await response.text()
  }

  /** A job writes its line when it ends. */
  async function untilLine(): Promise<Line[]> {
    const { ledger, db } = gateway.gateway.services.calls
    for (;;) {
      await ledger.flush()
      const sql = 'SELECT end_user, tags, requested_model, project, organization FROM usage'
      const lines = await db.query<Line>(sql)
      if (lines.length > 0) return lines
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async function report(query: string): Promise<UsageReport> {
    const { status, body, text } = await admin.get<UsageReport>(`/admin/usage?${query}`)
    assert.equal(status, 200, text)
    return body
  }
})

function countsOf({ items }: UsageReport): Record<string, number> {
  return Object.fromEntries(items.map(({ group, requests }) => [group, requests]))
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}
