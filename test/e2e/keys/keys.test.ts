import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { CreatedKey, KeyList } from '../../../src/contract/admin/keys.ts'
import { validator } from '../../../src/base/schema/validator.ts'
import { digestOf, isWellFormed } from '../../../src/tenants/access/api-keys.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { type AdminClient, adminClient, type Refusal } from '../../gateway/admin-client.ts'
import { chatClient, HELLO } from '../../gateway/chat-client.ts'
import { temporaryFolder } from '../../gateway/gateway-process.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { HOUR_MS } from '../../../src/base/units/units.ts'

const inAnHour = () => new Date(Date.now() + HOUR_MS).toISOString()

describe('keys, made and taken back', () => {
  let gateway: GatewayUnderTest
  let admin: AdminClient
  let lateBy = 0
  before(async () => {
    gateway = await startGateway({ overrides: { now: () => Date.now() + lateBy } })
    admin = adminClient(gateway.adminUrl)
  })
  after(() => gateway.close())

  test('a key with every field has them all in the answer', async () => {
    const options = {
      name: 'Everything, é "quoted"',
      kind: 'live',
      owner: 'team',
      project: 'team',
      user: 'u1',
      policy: { models: ['openai/*'] },
      region: 'eu',
      scopes: ['chat', 'model:openai/*'],
      expires_at: inAnHour(),
      allowed_ips: ['10.0.0.0/8', '2001:db8::/32'],
    }
    await admin.issue({ owner: 'team' })
    const { status, body, headers } = await admin.post<CreatedKey>('/admin/keys', options)
    assert.equal(status, 201)
    assert.deepEqual(validator(CreatedKey).issues(body, []), [])
    const { id, key, created_at, last4, ...rest } = body
    const unused = { last_used_at: null, revoked_at: null, former_valid_until: null, recording: null }
    assert.deepEqual({ ...rest, ...unused }, { ...options, ...unused })
    assert.ok(isWellFormed(key) && key.startsWith('gate_live_') && key.endsWith(last4) && !key.includes(id))
    assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  test('a key with only a name is live, global, its own owner, for everything and for ever', async () => {
    const { kind, owner, project, region, scopes, expires_at, id } = await admin.issue()
    assert.deepEqual(
      { kind, owner, project, region, scopes, expires_at },
      { kind: 'live', owner: id, project: 'personal', region: 'global', scopes: null, expires_at: null },
    )
    const nothing = await admin.issue({ kind: null, owner: null, region: null, scopes: null, expires_at: null })
    assert.equal(nothing.owner, nothing.id)
  })

  for (const [name, options, loc] of REFUSED()) {
    test(`refused with its place: ${name}`, async () => {
      const { status, body } = await admin.post<Refusal>('/admin/keys', options)
      assert.equal(status, 422)
      assert.equal(body.error.code, 'validation_error')
      assert.deepEqual(body.detail[0]!.loc, ['body', ...loc])
    })
  }

  test('the list comes page by page, newest first, each key once, and without secrets', async () => {
    const made: CreatedKey[] = []
    for (let i = 0; i < 7; i++) made.push(await admin.issue({ name: `page ${i}` }))
    const { pages, text } = await walk(3)
    assert.ok(pages.slice(0, -1).every((page) => page.length === 3))
    const listed = pages.flat()
    assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length)
    const ours = listed.filter(({ id }) => made.some((key) => key.id === id))
    assert.deepEqual(
      ours.map(({ name }) => name).sort(),
      made.map(({ name }) => name),
    )
    const times = listed.map(({ created_at }) => created_at)
    assert.deepEqual(times, times.toSorted().reverse())
    for (const { key } of made) assert.ok(!text.includes(key.slice(10, -4)) && !text.includes(digestOf(key)))
    assert.doesNotMatch(text, /"key"|digest/)
  })

  test('a page size or a cursor that is none is 422', async () => {
    for (const query of [
      'limit=0',
      'limit=-1',
      'limit=1001',
      'limit=1.5',
      'limit=x',
      'limit=',
      'limit=1&limit=2',
      'cursor=nonsense',
      'cursor=',
      'cursor=a&cursor=b',
    ]) {
      const { status, body } = await admin.get<Refusal>(`/admin/keys?${query}`)
      assert.equal(status, 422, query)
      assert.deepEqual(body.detail[0]!.loc, ['query', query.split('=')[0]])
    }
    assert.equal((await admin.get('/admin/keys?limit=1000')).status, 200)
  })

  test('a revoked key is refused at once; revoking again changes nothing; an unknown id is 404', async () => {
    const { id, key } = await admin.issue()
    assert.equal(await statusWith(key), 200)
    const { status, text } = await admin.delete(`/admin/keys/${id}`)
    assert.deepEqual([status, text], [204, ''])
    assert.equal(await statusWith(key), 401)
    const { revoked_at } = await find(id)
    assert.ok(revoked_at)
    assert.equal((await admin.delete(`/admin/keys/${id}`)).status, 204)
    assert.equal((await find(id)).revoked_at, revoked_at)
    const codes = {
      not_found: ['00000000-0000-4000-8000-000000000000', '..'],
      validation_error: ['unknown', 'env-live', '%00'],
    }
    for (const [code, ids] of Object.entries(codes))
      for (const unknown of ids)
        assert.equal((await admin.delete(`/admin/keys/${unknown}`)).body.error.code, code, unknown)
    assert.equal(await statusWith(API_KEY), 200)
  })

  test('a key works until its last moment and not after it', async () => {
    const { key } = await admin.issue({ expires_at: inAnHour() })
    lateBy = HOUR_MS - 10_000
    assert.equal(await statusWith(key), 200)
    lateBy = HOUR_MS + 10_000
    assert.equal(await statusWith(key), 401)
    lateBy = 0
    assert.equal(await statusWith(key), 200)
  })

  test('when a key was last used is written down, for used ones only', async () => {
    const [used, unused] = [await admin.issue(), await admin.issue()]
    const before = Date.now()
    assert.equal(await statusWith(used.key), 200)
    await gateway.gateway.services.tenants.keyCache.refresh()
    const at = Date.parse((await find(used.id)).last_used_at!)
    assert.ok(at >= before && at <= Date.now())
    assert.equal((await find(unused.id)).last_used_at, null)
  })

  async function walk(limit: number) {
    const pages: KeyList['items'][] = []
    let [cursor, text] = ['', '']
    do {
      const page = await admin.get<KeyList>(`/admin/keys?limit=${limit}${cursor && `&cursor=${cursor}`}`)
      assert.deepEqual(validator(KeyList).issues(page.body, []), [])
      pages.push(page.body.items)
      text += page.text
      cursor = page.body.next_cursor ?? ''
    } while (cursor)
    return { pages, text }
  }

  async function find(id: string) {
    return (await walk(1_000)).pages.flat().find((key) => key.id === id)!
  }

  async function statusWith(key: string): Promise<number> {
    return (await fetch(`${gateway.url}/v3/models`, { headers: { authorization: `Bearer ${key}` } })).status
  }
})

test('a sandbox key gets every model from the sandbox, free, and no provider is called', async (t) => {
  const provider = await startFakeProvider()
  t.after(() => provider.close())
  const gateway = await startGateway({ env: { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.url } })
  t.after(() => gateway.close())
  const { key } = await adminClient(gateway.adminUrl).issue({ kind: 'sandbox' })
  assert.match(key, /^gate_sandbox_/)
  const chat = chatClient(gateway.url)
  const headers = { authorization: `Bearer ${key}` }
  for (const model of ['openai/gpt-4o', 'openai/anything-at-all', 'ollama/llama3', 'sandbox/echo']) {
    const { status, completion } = await chat.whole({ model, ...HELLO }, { headers })
    assert.deepEqual([status, completion.model, completion.cost], [200, model, 0])
    assert.equal(completion.provider, 'sandbox')
    assert.equal(completion.choices[0]!.message.content, 'Hello')
    const streamed = await chat.stream({ model, ...HELLO }, { headers })
    assert.deepEqual([streamed.status, streamed.done], [200, 1])
  }
  assert.equal((await chat.whole({ model: 'sandbox/fail-429', ...HELLO }, { headers })).status, 429)
  assert.equal(provider.requests.length, 0)
})

test('the files of the store hold no key, neither a made one nor one of the operator', async (t) => {
  const folder = await temporaryFolder()
  t.after(() => folder.remove())
  const gateway = await startGateway({ dataDir: folder.path })
  const admin = adminClient(gateway.adminUrl)
  const { key } = await admin.issue()
  await chatClient(gateway.url).whole(
    { model: 'sandbox/echo', ...HELLO },
    { headers: { authorization: `Bearer ${key}` } },
  )
  await gateway.gateway.services.calls.ledger.flush()
  const whileOpen = await filesIn(folder.path)
  await gateway.close()
  for (const file of [...whileOpen, ...(await filesIn(folder.path))]) assertWithout(file, [key, key.slice(10), API_KEY])
})

async function filesIn(folder: string): Promise<{ name: string; bytes: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  assert.ok(names.some((name) => name.endsWith('.db')))
  return Promise.all(names.map(async (name) => ({ name, bytes: await readFile(name) })))
}

function assertWithout({ name, bytes }: { name: string; bytes: Buffer }, secrets: string[]): void {
  for (const secret of secrets) {
    for (const form of [secret, Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('hex')])
      assert.equal(bytes.indexOf(form), -1, `${name} holds a key`)
  }
}

/** A name, the request, and the location in the error. */
function REFUSED(): [string, object, (string | number)[]][] {
  const name = 'x'
  return [
    ['nothing', {}, ['name']],
    ['no name', { kind: 'live' }, ['name']],
    ['an empty name', { name: '' }, ['name']],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, ['name']],
    ['a name that is a number', { name: 1 }, ['name']],
    ['an unknown kind', { name, kind: 'gold' }, ['kind']],
    ['an admin key', { name, kind: 'admin' }, ['kind']],
    ['an empty owner', { name, owner: '' }, ['owner']],
    ['an owner of 201 characters', { name, owner: 'x'.repeat(201) }, ['owner']],
    ['an unknown region', { name, region: 'mars' }, ['region']],
    ['a scope that is a word', { name, scopes: 'chat' }, ['scopes']],
    ['no scopes at all', { name, scopes: [] }, ['scopes']],
    ['an unknown scope', { name, scopes: ['chat', 'caht'] }, ['scopes', 1]],
    ['an empty model scope', { name, scopes: ['model:'] }, ['scopes', 0]],
    ['a scope that is a number', { name, scopes: [1] }, ['scopes', 0]],
    ['an end in the past', { name, expires_at: '2020-01-01T00:00:00Z' }, ['expires_at']],
    ['an end that is now', { name, expires_at: new Date().toISOString() }, ['expires_at']],
    ['an end that is no date', { name, expires_at: 'soon' }, ['expires_at']],
    ['an end that is a number', { name, expires_at: 1 }, ['expires_at']],
    ['a day that does not exist', { name, expires_at: '2031-02-30T00:00:00Z' }, ['expires_at']],
    ['an end without a zone', { name, expires_at: '2031-02-03T00:00:00' }, ['expires_at']],
    ['an end that is empty', { name, expires_at: '' }, ['expires_at']],
    ['no addresses at all', { name, allowed_ips: [] }, ['allowed_ips']],
    ['an address that is none', { name, allowed_ips: ['10.0.0.0/8', 'home'] }, ['allowed_ips', 1]],
    ['a misspelt field', { name, expire_at: inAnHour() }, ['expire_at']],
    ['a key of one’s own choice', { name, key: 'gate_live_mine' }, ['key']],
  ]
}
