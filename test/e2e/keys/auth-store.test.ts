import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { createKey, digestOf, isWellFormed } from '../../../src/tenants/access/api-keys.ts'
import type { Caller } from '../../../src/tenants/access/caller.ts'
import { KeyCache } from '../../../src/tenants/access/key-cache.ts'
import { type Database, StoreUnavailable } from '../../../src/platform/store/database.ts'
import { openDatabase } from '../../../src/platform/store/open-database.ts'
import { insertKey } from '../../../src/platform/store/keys/keys.ts'
import { migrate } from '../../../src/platform/store/migrations.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { exchange, type RawReply, request } from '../../gateway/raw-http.ts'

/** See tenants/access/key-cache.ts. */
const UNKNOWN_FOR_MS = 2_000
const CLOCKS = { now: Date.now, monotonic: () => performance.now() }
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const INJECTIONS = [
  "' OR '1'='1",
  "'; DROP TABLE keys; --",
  '" OR ""="',
  "1' UNION SELECT digest FROM keys --",
  "\\'; SELECT pg_sleep(10); --",
  '$1',
  "%' OR id LIKE '%",
  '*/ OR /*',
  "x' AND randomblob(1000000000) --",
  `{"$ne": null}`,
]

describe('keys and the store, through the port', () => {
  let gateway: GatewayUnderTest
  let lookups: string[]
  before(async () => {
    // Without jobs, because their worker queries the store all the time.
    gateway = await startGateway({ overrides: { role: 'api' } })
    lookups = recordLookups(gateway.gateway.services.calls.db)
  })
  after(() => gateway.close())

  test('malformed keys and wrong checksums never reach the store', async () => {
    lookups.length = 0
    const malformed = Array.from({ length: 100 }, (_, index) => wrongChecksum(createKey(index % 2 ? 'live' : 'admin')))
    for (const key of [...malformed, ...INJECTIONS, 'gate_live_', 'gate_live_'.padEnd(46, '0')]) {
      assert.equal((await models(`Authorization: Bearer ${key}`)).status, 401)
    }
    assert.deepEqual(lookups, [])
  })

  test('an unknown key that is used a hundred times at once, and again, is one query', async () => {
    lookups.length = 0
    const startedAt = performance.now()
    const unknown = createKey('live')
    const replies = await Promise.all(Array.from({ length: 100 }, () => models(`Authorization: Bearer ${unknown}`)))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([401]))
    assert.equal((await models(`Authorization: Bearer ${unknown}`)).status, 401)
    // An unknown key is looked up again when the gateway has forgotten it, which a busy machine may live to see.
    assert.ok(lookups.length >= 1)
    assert.ok(lookups.length <= 1 + (performance.now() - startedAt) / UNKNOWN_FOR_MS, String(lookups.length))
  })

  test('invented keys do not fill the queue of the store', async () => {
    let requested = 0
    const silent = { query: () => new Promise(() => void requested++) } as unknown as Database
    const keyCache = new KeyCache({ db: silent, ...CLOCKS })
    const found = Array.from({ length: 5_000 }, () => keyCache.find(createKey('live')))
    const refused = await Promise.allSettled(found.slice(3_000))
    assert.deepEqual(new Set(refused.map((one) => one.status === 'rejected' && one.reason.status)), new Set([503]))
    assert.equal(requested, 1)
  })

  test('a key that was made elsewhere is looked up when it is first used, and then no more', async () => {
    const { key } = await adminClient(gateway.adminUrl).issue({ owner: 'new' })
    await gateway.gateway.services.tenants.keyCache.refresh()
    lookups.length = 0
    for (let i = 0; i < 3; i++) assert.equal((await models(`Authorization: Bearer ${key}`)).status, 200)
    assert.deepEqual(lookups, [digestOf(key)])
  })

  test('SQL as an id, a model, a cursor or a group is text like any other', async () => {
    for (const text of INJECTIONS) {
      const encoded = encodeURIComponent(text)
      for (const line of [
        `GET /admin/keys?cursor=${encoded}`,
        `GET /admin/usage?group_by=${encoded}`,
        `GET /admin/keys?limit=${encoded}`,
      ])
        assert.equal((await asAdmin(line)).status, 422, line)
      assert.equal((await asAdmin(`DELETE /admin/keys/${encoded}`)).status, 422, text)
      assert.equal((await models(`Authorization: Bearer ${API_KEY}`, encoded)).status, 404, text)
    }
    assert.equal((await asAdmin('GET /admin/keys')).status, 200)
  })

  test('a chat with a known key asks nothing of the store; what is noted is written between requests', async () => {
    const { key } = await adminClient(gateway.adminUrl).issue()
    assert.equal(await chat(key), 200)
    const requests = recordAll(gateway.gateway.services.calls.db)
    for (let i = 0; i < 20; i++) assert.equal(await chat(key, i % 2 === 0), 200)
    const inTheirTurn =
      /AS marker|WHERE change >= |SET last_used_at|INSERT INTO usage|unrolled_batches|FROM processes|FROM secrets|FROM alias_versions|FROM limit_versions|FROM guardrail_versions|FROM settings|content IS NOT NULL|record_left > 0/
    assert.deepEqual(
      requests.filter((sql) => !inTheirTurn.test(sql)),
      [],
    )
  })

  test('while the store is unavailable, known keys work, unknown ones get a 503, and only malformed ones a 401', async (t) => {
    const { key } = await adminClient(gateway.adminUrl).issue()
    assert.equal(await chat(key), 200)
    takeAway(gateway.gateway.services.calls.db, t)
    for (const known of [key, API_KEY]) assert.deepEqual([await chat(known), await chat(known, true)], [200, 200])
    const unknown = await models(`Authorization: Bearer ${createKey('live')}`)
    assert.deepEqual([unknown.status, JSON.parse(unknown.body).error.code], [503, 'unavailable'])
    assert.match(JSON.parse(unknown.body).error.message, /key cannot be checked .* database/)
    assert.match(unknown.headers['retry-after'] ?? '', /^[1-9]\d*$/)
    assert.equal((await models(`Authorization: Bearer ${wrongChecksum(key)}`)).status, 401)
  })

  async function chat(key: string, stream = false): Promise<number> {
    const body = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'x' }], stream })
    const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json']
    return (await exchange(gateway.url, request('POST /v3/chat/completions', headers, body))).status
  }

  function models(header: string, model = ''): Promise<RawReply> {
    return exchange(gateway.url, request(`GET /v3/models${model && `/${model}`}`, [header]))
  }

  function asAdmin(line: string): Promise<RawReply> {
    return exchange(gateway.adminUrl, request(line, [`Authorization: Bearer ${ADMIN_KEY}`]))
  }
})

describe('the keyring', () => {
  let folder: string
  let db: Database
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-keyring-'))
    db = await openDatabase({ dataDir: folder })
    await migrate(db)
  })
  after(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })

  test('10,000 keys with a bad checksum cost no query', async () => {
    const lookups = recordLookups(db)
    const keyCache = new KeyCache({ db, ...CLOCKS })
    for (let i = 0; i < 10_000; i++) assert.equal(keyCache.find(wrongChecksum(createKey('live'))), undefined)
    assert.deepEqual(lookups, [])
  })

  test('two stored keys that share their first 39 characters are never mixed up, 1,000 times', async () => {
    const shared = createKey('live').slice(0, 39)
    const pair = ['A', 'B'].map((last) => signed(shared + last))
    for (const [index, key] of pair.entries()) await store(key, `owner-${index}`)
    await alternate(new KeyCache({ db, ...CLOCKS }), pair)
  })

  test('nor are two keys of the operator that share 490', async () => {
    const pair = ['A', 'B'].map((last) => 'k'.repeat(490) + last)
    const fixed = pair.map((key, index) => ({ key, caller: { ownerId: `owner-${index}` } as Caller }))
    await alternate(new KeyCache({ db, ...CLOCKS, fixed }), pair)
  })

  async function alternate(keyCache: KeyCache, pair: string[]) {
    for (let i = 0; i < 1_000; i++) {
      const caller = await keyCache.find(pair[i % 2]!)
      assert.equal(caller?.ownerId, `owner-${i % 2}`)
    }
  }

  async function store(key: string, owner: string) {
    const [region, scopes, expiresAt] = ['global', null, null] as const
    await insertKey(db, {
      id: owner,
      digest: digestOf(key),
      name: owner,
      kind: 'live',
      region,
      scopes,
      last4: '',
      expiresAt,
      allowedIps: null,
      project: 'personal',
      user: null,
      policy: null,
    })
  }
})

/** Records the digests that are looked up from now on. All calls go on to the real store. */
function recordLookups(db: Database): string[] {
  const lookups: string[] = []
  const { query } = db
  db.query = (sql, values) => {
    if (/WHERE digest IN /.test(sql)) lookups.push(String(values?.[0]))
    return query(sql, values)
  }
  return lookups
}

/** Records every SQL text that is sent to the store from now on. */
function recordAll(db: Database): string[] {
  const requests: string[] = []
  const { query, transaction } = db
  db.query = (sql, values) => {
    requests.push(sql)
    return query(sql, values)
  }
  db.transaction = (statements, options) => {
    requests.push(...statements.map(({ sql }) => sql))
    return transaction(statements, options)
  }
  return requests
}

function takeAway(db: Database, t: TestContext): void {
  const { query, transaction } = db
  const away = () => Promise.reject(new StoreUnavailable('away'))
  Object.assign(db, { query: away, transaction: away })
  t.after(() => Object.assign(db, { query, transaction }))
}

function wrongChecksum(key: string): string {
  const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
  assert.equal(isWellFormed(wrong), false)
  return wrong
}

/** The documented checksum: CRC-32 of what precedes it, in six digits of base 62. */
function signed(unsigned: string): string {
  let rest = crc32(unsigned)
  let digits = ''
  while (digits.length < 6) {
    digits = ALPHABET[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  assert.ok(isWellFormed(unsigned + digits))
  return unsigned + digits
}
