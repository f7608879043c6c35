import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UsageReport } from '../../../src/contract/admin/usage.ts'
import type { CreatedKey, KeyList } from '../../../src/contract/admin/keys.ts'
import { createKey } from '../../../src/tenants/access/api-keys.ts'
import { type Postgres, startPostgres } from '../../fakes/postgres.ts'
import { type AdminClient, adminClient, type Refusal } from '../../gateway/admin-client.ts'
import { lineWith, startChild, temporaryFolder } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// A store that becomes unavailable under a running gateway, and comes back. The tests run in order, on one server.

const TIMEOUT_MS = 200_000
const CALLS_MEANWHILE = 20

const postgres = await startPostgres()
const skip = 'skip' in postgres ? postgres.skip : false

describe('PostgreSQL, there and away', { skip }, () => {
  const server = postgres as Postgres
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let gateway: GatewayUnderTest
  let admin: AdminClient
  let other: ReturnType<typeof startChild> & { url: string }
  let known: CreatedKey
  let unseen: CreatedKey
  before(async () => {
    folder = await temporaryFolder()
  })
  after(async () => {
    other?.child.kill('SIGKILL')
    await gateway?.close()
    await server.stop()
    await folder.remove()
  })

  test('a gateway that starts before the server waits for it, says why, and then works', async () => {
    await server.interrupt()
    const env = {
      DATA_DIR: folder.data,
      DATABASE_URL: server.url,
      GATEHOUSE_API_KEY: API_KEY,
      GATEHOUSE_ADMIN_KEY: ADMIN_KEY,
    }
    const started = startChild(env)
    const line = await lineWith(started.child, started.output, 'not reachable')
    assert.deepEqual(
      [JSON.parse(line).level, JSON.parse(line).reason],
      [
        'warn',
        'The database is not reachable (ENOENT). Check the host and the port in DATABASE_URL, and that the server runs.',
      ],
    )
    await server.resume()
    const { base_url, store } = JSON.parse(await lineWith(started.child, started.output, '"listening"'))
    other = { ...started, url: base_url.replace(/\/v3$/, '') }
    assert.equal(store, 'postgres')
    assert.equal((await chat(other.url, API_KEY)).status, 200)
  })

  test('a key made by one process works in another; revoked here, it is refused there', async () => {
    gateway = await startGateway({ env: { DATABASE_URL: server.url }, dataDir: folder.data })
    admin = adminClient(gateway.adminUrl)
    const { id, key } = await admin.issue()
    assert.equal((await chat(other.url, key)).status, 200)
    assert.equal((await admin.delete(`/admin/keys/${id}`)).status, 204)
    assert.equal((await chat(gateway.url, key)).status, 401)
    await until(async () => (await chat(other.url, key)).status === 401)
  })

  test('with the server gone, known keys go on and unknown ones are asked to try again: no caller gets a 401', async () => {
    ;[known, unseen] = [await admin.issue(), await admin.issue()]
    assert.equal((await chat(gateway.url, known.key)).status, 200)
    await gateway.gateway.services.calls.ledger.flush()
    await server.interrupt()
    for (let i = 0; i < CALLS_MEANWHILE; i++) {
      assert.equal((await chat(gateway.url, known.key, i % 2 === 0)).status, 200)
      assert.equal((await chat(gateway.url, API_KEY)).status, 200)
    }
    for (const key of [unseen.key, createKey('live'), createKey('sandbox')]) {
      const response = await chat(gateway.url, key)
      assert.equal(response.status, 503)
      assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      assert.equal(((await response.json()) as Refusal).error.code, 'unavailable')
    }
    for (const key of ['nonsense', `${known.key}x`]) assert.equal((await chat(gateway.url, key)).status, 401)
    assert.equal((await fetch(`${gateway.url}/health/ready`)).status, 200)
  })

  test('what needs the store says so, and is not an error of ours', async () => {
    for (const path of ['/admin/keys', '/admin/usage']) {
      const { status, headers, body } = await admin.get<Refusal>(path)
      assert.deepEqual([status, body.error.code], [503, 'unavailable'], path)
      assert.ok(headers.get('retry-after'))
    }
    assert.equal((await admin.post('/admin/keys', { name: 'lost?' })).status, 503)
    assert.equal((await admin.delete(`/admin/keys/${known.id}`)).status, 503)
    assert.match(
      await (await fetch(`${gateway.adminUrl}/metrics`)).text(),
      /\ngatehouse_ledger_rows_waiting\{[^}]*\} [1-9]/,
    )
    assert.doesNotMatch(gateway.logs(), /unexpected error/)
  })

  test('when the server is back, every call of that time is written down and every key is what it was', async () => {
    await server.resume()
    await until(async () => (await requestsOf(known.id)) === 1 + CALLS_MEANWHILE)
    assert.equal(await requestsOf('env-live'), 1 + CALLS_MEANWHILE)
    assert.equal((await chat(gateway.url, known.key)).status, 200)
    assert.equal((await chat(gateway.url, unseen.key)).status, 200)
    assert.equal((await chat(gateway.url, createKey('live'))).status, 401)
    await until(async () => (await lastUse(unseen.id)) !== null)
  })

  test('a process ends cleanly on SIGTERM although the server is gone', async () => {
    await server.interrupt('SIGKILL')
    assert.equal((await chat(other.url, API_KEY)).status, 200)
    other.child.kill('SIGTERM')
    assert.deepEqual(await once(other.child, 'close'), [0, null])
    const waiting = startChild({ DATA_DIR: folder.data, DATABASE_URL: server.url })
    await lineWith(waiting.child, waiting.output, 'not reachable')
    waiting.child.kill('SIGTERM')
    assert.deepEqual(await once(waiting.child, 'close'), [0, null])
  })

  async function requestsOf(keyId: string): Promise<number> {
    const { status, body } = await admin.get<UsageReport>('/admin/usage?group_by=key')
    return status === 200 ? (body.items.find(({ group }) => group === keyId)?.requests ?? 0) : Number.NaN
  }

  async function lastUse(id: string): Promise<string | null> {
    const { status, body } = await admin.get<KeyList>('/admin/keys')
    return status === 200 ? (body.items.find((key) => key.id === id)?.last_used_at ?? null) : null
  }
})

function chat(url: string, key: string, stream = false): Promise<Response> {
  return fetch(`${url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'x' }], stream }),
  })
}

/** Polls, because the other process does not report when it has looked. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('it did not come to pass')
    await sleep(50)
  }
}
