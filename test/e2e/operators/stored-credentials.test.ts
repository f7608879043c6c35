import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CredentialList, NamedCredential } from '../../../src/contract/admin/credentials.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { adminClient, type Refusal } from '../../gateway/admin-client.ts'
import { ASK, chatClient, HELLO } from '../../gateway/chat-client.ts'
import { temporaryFolder } from '../../gateway/gateway-process.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'

// Two processes on one store. Credentials come from the store and from a file, and change while the gateways run.

const SECRET = 'sk-canary-of-the-store-1234'
const LOOK_MS = 50
const folder = await temporaryFolder()
const provider = await startFakeProvider()
const file = join(folder.path, 'key')
const config = join(folder.path, 'config.json')
writeFileSync(file, 'first-key-in-the-file\n')
const ALIAS = { targets: [{ model: 'openai/gpt-4o-mini', credential: 'bound' }] }
const credentials = { groq: [{ name: 'mounted', file }] }
writeFileSync(config, JSON.stringify({ credentials }))
const env = { GATEHOUSE_CONFIG: config, OPENAI_BASE_URL: provider.url, GROQ_BASE_URL: provider.url }
const dataDir = join(folder.path, 'data')
const one = await startGateway({ env, dataDir, overrides: { lookMs: LOOK_MS } })
const two = await startGateway({ env, dataDir, overrides: { lookMs: LOOK_MS } })
const admin = adminClient(one.adminUrl)
after(async () => {
  await one.close()
  await two.close()
  await Promise.all([provider.close(), folder.remove()])
})

beforeEach(async () => {
  const { body } = await admin.get<CredentialList>('/admin/credentials')
  for (const { id } of body.items) if (id) await admin.delete(`/admin/credentials/${id}`)
  provider.reset()
})

test('a stored credential is used at once here and within moments elsewhere, changed and removed without a restart', async () => {
  const created = await store({ name: 'team-a', secret: SECRET, weight: 3 })
  const { id, created_at, updated_at, ...rest } = created.body
  assert.equal(created.status, 201)
  assert.deepEqual(rest, {
    provider: 'openai',
    name: 'team-a',
    weight: 3,
    owned_by: 'api',
    source: null,
    ends_with: '1234',
    active: true,
  })
  assert.equal(await keyUsedBy(one), SECRET)
  await untilUsedBy(two, SECRET)
  const changed = await admin.patch<NamedCredential>(`/admin/credentials/${id}`, { secret: `${SECRET}-new` })
  assert.deepEqual([changed.status, changed.body.weight, changed.body.ends_with], [200, 3, '-new'])
  assert.equal(await keyUsedBy(one), `${SECRET}-new`)
  await untilUsedBy(two, `${SECRET}-new`)
  assert.equal((await admin.delete(`/admin/credentials/${id}`)).status, 204)
  assert.equal(await keyUsedBy(one), undefined)
  await untilUsedBy(two, undefined)
  const gone = await admin.patch<Refusal>(`/admin/credentials/${id}`, { weight: 1 })
  assert.deepEqual([gone.status, (await admin.delete(`/admin/credentials/${id}`)).status], [404, 404])
})

test('a secret is in no answer, no log and no file', async () => {
  await store({ name: 'x', secret: SECRET })
  const pages = ['/admin/credentials', '/admin/targets', '/admin/config', '/metrics']
  const answers = await Promise.all(pages.map((page) => fetch(one.adminUrl + page, { headers: adminHeaders() })))
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  assert.ok(texts[0]!.includes('"x"') && texts[1]!.includes('"x"'))
  for (const text of [...texts, one.logs(), two.logs()]) assert.ok(!text.includes(SECRET))
})

test('what is wrong is refused with its field, and the message shows nothing of the secret', async () => {
  const wrong: [object, string][] = [
    [{ provider: 'opnai' }, 'provider'],
    [{ provider: 'sandbox' }, 'provider'],
    [{ provider: 'vertex', secret: `{"private_key":"${SECRET}"}` }, 'secret'],
    [{ secret: `${SECRET},${SECRET}` }, 'secret'],
    [{ secret: `${SECRET}\u00e9` }, 'secret'],
    [{ secret: '' }, 'secret'],
    [{ weight: 0 }, 'weight'],
    [{ name: '' }, 'name'],
    [{ name: 'n'.repeat(101) }, 'name'],
    [{ key: 'sk' }, 'key'],
  ]
  for (const [body, field] of wrong) {
    const { status, text, body: refusal } = await store<Refusal>({ name: 'x', secret: SECRET, ...body })
    assert.deepEqual([status, refusal.detail[0]?.loc], [422, ['body', field]], text)
    assert.ok(!text.includes(SECRET))
  }
  await store({ name: 'x', secret: SECRET })
  assert.equal((await store({ name: 'x', secret: SECRET })).status, 409)
  assert.equal((await store({ provider: 'groq', name: 'mounted', secret: SECRET })).status, 409)
  const { body: other } = await store({ name: 'y', secret: SECRET })
  assert.equal((await admin.patch(`/admin/credentials/${other.id}`, { name: 'x' })).status, 409)
})

test('the list has all credentials, page by page', async () => {
  for (const name of ['b', 'a', 'c']) await store({ name, secret: SECRET })
  const names: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: string = `/admin/credentials?limit=2${cursor && `&cursor=${cursor}`}`
    const { body }: { body: CredentialList } = await admin.get<CredentialList>(page)
    names.push(...body.items.map((item) => `${item.provider} ${item.name} ${item.owned_by}`))
    cursor = body.next_cursor
  }
  assert.deepEqual(names, ['groq mounted file', 'openai a api', 'openai b api', 'openai c api'])
  const { body } = await admin.get<CredentialList>('/admin/credentials?provider=groq')
  assert.deepEqual(body.items[0], {
    id: null,
    provider: 'groq',
    name: 'mounted',
    weight: 1,
    owned_by: 'file',
    source: file,
    ends_with: 'file',
    active: true,
    created_at: null,
    updated_at: null,
  })
  assert.equal((await admin.get('/admin/credentials?cursor=nonsense')).status, 422)
})

test('an alias is called with the stored credential that it is bound to, which then cannot be removed or renamed', async () => {
  const wrong = await admin.post<Refusal>('/admin/aliases', { name: 'bound-alias', ...ALIAS })
  assert.deepEqual([wrong.status, wrong.body.detail[0]?.loc], [422, ['body', 'targets', 0, 'credential']])
  const { body: bound } = await store({ name: 'bound', secret: `${SECRET}-bound` })
  await store({ name: 'other', secret: SECRET, weight: 1_000 })
  writeFileSync(config, JSON.stringify({ credentials, aliases: { 'file-alias': ALIAS } }))
  assert.equal((await admin.post('/admin/config/reload', {})).status, 200)
  for (let time = 0; time < 3; time++)
    assert.equal(await keyUsedBy(one, { ...HELLO, model: 'file-alias' }), `${SECRET}-bound`)
  assert.equal((await admin.delete(`/admin/credentials/${bound.id}`)).status, 409)
  assert.equal((await admin.patch(`/admin/credentials/${bound.id}`, { name: 'x' })).status, 409)
  assert.equal((await admin.patch(`/admin/credentials/${bound.id}`, { weight: 2 })).status, 200)
  const aliases = { 'file-alias': { targets: [{ ...ALIAS.targets[0], credential: 'unknown' }] } }
  writeFileSync(config, JSON.stringify({ credentials, aliases }))
  const refused = await admin.post<Refusal>('/admin/config/reload', {})
  assert.match(
    `${refused.status} ${refused.body.error.message}`,
    /^422 aliases\.file-alias\.targets\.0\.credential: OpenAI has no/,
  )
  const start = startGateway({ env, dataDir })
  await assert.rejects(start, /aliases\.file-alias\.targets\.0\.credential/)
  writeFileSync(config, JSON.stringify({ credentials }))
  await admin.post('/admin/config/reload', {})
})

test('a reload of the config file keeps stored credentials', async () => {
  await store({ name: 'x', secret: SECRET })
  assert.equal((await admin.post('/admin/config/reload', {})).status, 200)
  assert.equal(await keyUsedBy(one), SECRET)
})

test('a file is read again when it has changed, and while it cannot be used the old key stays', async () => {
  const used = () => keyUsedBy(one, { ...HELLO, model: 'groq/llama-3.3-70b-versatile' })
  assert.equal(await used(), 'first-key-in-the-file')
  replaceFile(' ')
  await until(() => one.logs().includes('a file with a credential cannot be used'))
  assert.equal(await used(), 'first-key-in-the-file')
  const { status, body } = await store({ name: 'meanwhile', secret: SECRET })
  assert.deepEqual([status, body.active], [201, false])
  replaceFile('second-key-in-the-file')
  await until(async () => (await used()) === 'second-key-in-the-file')
  await untilUsedBy(one, SECRET)
  assert.ok(!one.logs().includes('second-key'))
})

function store<Body = NamedCredential>(body: object) {
  return admin.post<Body>('/admin/credentials', { provider: 'openai', ...body })
}

/** Secrets are mounted by renaming, so that no process reads half a file. */
function replaceFile(content: string): void {
  writeFileSync(`${file}.new`, content)
  renameSync(`${file}.new`, file)
}

async function keyUsedBy({ url }: { url: string }, body: object = ASK): Promise<string | undefined> {
  provider.reset()
  await chatClient(url).whole(body)
  return provider.requests[0]?.headers.authorization?.replace('Bearer ', '')
}

async function untilUsedBy(gateway: { url: string }, key: string | undefined): Promise<void> {
  await until(async () => (await keyUsedBy(gateway)) === key)
}

/** The runner's own limit ends a test that waits in vain. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(LOOK_MS)
}

function adminHeaders() {
  return { authorization: 'Bearer test-admin-key-of-the-suite' }
}
