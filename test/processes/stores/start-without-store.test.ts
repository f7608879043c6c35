import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey, digestOf } from '../../../src/tenants/access/api-keys.ts'
import type { UsageReport } from '../../../src/contract/admin/usage.ts'
import type { CreatedKey } from '../../../src/contract/admin/keys.ts'
import { type Postgres, startPostgres } from '../../fakes/postgres.ts'
import { adminClient, type Refusal } from '../../gateway/admin-client.ts'
import { lineWith, startChild, startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, startGateway } from '../../gateway/gateway-under-test.ts'

/** Each process of a cluster gets some of the connections. */
const ANOTHER_CONNECTION = { headers: { connection: 'close' } }
/** So many that each of the two processes gets some: the kernel chooses which. */
const CONNECTIONS = 16

// Gateways that start while PostgreSQL is away, in a data folder of a gateway that was killed: one of two API processes,
// and one in this process. The tests run in order.

const postgres = await startPostgres()
const skip = 'skip' in postgres ? postgres.skip : false

describe('a start without the store', { skip }, () => {
  const server = postgres as Postgres
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let env: Record<string, string> & { DATA_DIR: string }
  let [known, revoked, unused]: CreatedKey[] = []
  let waiting: ReturnType<typeof startChild> & { url: string; adminUrl: string }
  before(async () => {
    folder = await temporaryFolder()
    env = { DATA_DIR: folder.data, DATABASE_URL: server.url, GATEHOUSE_ADMIN_KEY: ADMIN_KEY }
  })
  after(async () => {
    waiting?.child.kill('SIGKILL')
    await server.stop()
    await folder.remove()
  })

  test('a running gateway keeps what it knows about keys on disk, without the keys', async () => {
    const gateway = await startProcess(env)
    after(() => gateway.child.kill('SIGKILL'))
    const admin = adminClient(gateway.adminUrl)
    ;[known, revoked, unused] = [await admin.issue(), await admin.issue(), await admin.issue()]
    for (const { key } of [known, revoked]) assert.equal((await chat(gateway.url, key)).status, 200)
    await until(async () => {
      const text = (await keptFiles()).join('')
      return [known, revoked].every((one) => text.includes(digestOf(one!.key)))
    })
    assert.equal((await admin.delete(`/admin/keys/${revoked!.id}`)).status, 204)
    gateway.child.kill('SIGKILL')
    await gateway.ended
    const text = (await keptFiles()).join('')
    for (const { key } of [known, revoked, unused]) assert.ok(!text.includes(key.slice(10, 40)))
    for (const name of await readdir(join(folder.data, 'key-cache')))
      assert.equal((await stat(join(folder.data, 'key-cache', name))).mode & 0o777, 0o600)
  })

  test('a gateway without its store is alive and not ready, and answers the callers it knows', async () => {
    await server.interrupt()
    const started = startChild({ ...env, WORKERS: '2' })
    const line = JSON.parse(await lineWith(started.child, started.output, 'waiting for the database'))
    waiting = { ...started, url: line.base_url.replace(/\/v3$/, ''), adminUrl: line.admin_url }
    assert.equal(line.level, 'warn')
    for (const url of [waiting.url, waiting.adminUrl]) {
      assert.equal((await fetch(`${url}/health/live`)).status, 200)
      const ready = await fetch(`${url}/health/ready`)
      const expected = { status: 'starting', reason: 'The database is not reachable.' }
      assert.deepEqual([ready.status, await ready.json()], [503, expected])
    }
    for (const stream of [false, true, false, true])
      assert.equal((await chat(waiting.url, known!.key, stream)).status, 200)
    assert.equal((await models(waiting.url, known!.key)).status, 200)
  })

  test('a key that was revoked is refused, and unknown ones are asked to try again', async () => {
    assert.equal((await chat(waiting.url, revoked!.key)).status, 401)
    assert.equal((await chat(waiting.url, `${unused!.key}x`)).status, 401)
    // It may be a key of another gateway, which an import has brought.
    const foreign = 'sk-1234'
    for (const key of [unused!.key, createKey('live'), foreign]) await assertUnavailable(await chat(waiting.url, key))
    await assertUnavailable(
      await fetch(`${waiting.adminUrl}/admin/keys`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } }),
    )
    const link = `${waiting.url}/results/00000000-0000-4000-8000-000000000000?expires=99999999999999&signature=x`
    assert.equal((await fetch(link)).status, 503)
  })

  test('KEY_CACHE_MINUTES=0 knows no key without the store', async (t) => {
    const off = await startGateway({ dataDir: folder.data, env: { ...env, KEY_CACHE_MINUTES: '0' } })
    t.after(off.close)
    await assertUnavailable(await chat(off.url, known!.key))
    assert.equal((await fetch(`${off.url}/health/live`)).status, 200)
  })

  test('when the store is back, the start is completed, and the calls of that time are in the ledger', async () => {
    await server.resume()
    await lineWith(waiting.child, waiting.output, '"listening"')
    await until(async () => (await statusesOf(`${waiting.url}/health/ready`)).every((status) => status === 200))
    for (let i = 0; i < 2; i++) assert.equal((await chat(waiting.url, unused!.key)).status, 200)
    assert.equal((await chat(waiting.url, known!.key)).status, 200)
    assert.equal((await chat(waiting.url, revoked!.key)).status, 401)
    const admin = adminClient(waiting.adminUrl)
    await until(async () => {
      const { body } = await admin.get<UsageReport>('/admin/usage?group_by=key')
      // One before the kill, four while the store was away, one now.
      return body.items.find(({ group }) => group === known!.id)?.requests === 6
    })
    waiting.child.kill('SIGTERM')
    assert.deepEqual(await once(waiting.child, 'close'), [0, null])
  })

  async function keptFiles(): Promise<string[]> {
    const path = join(folder.data, 'key-cache')
    // A file that is being written gets its name when it is complete.
    const names = (await readdir(path).catch(() => [])).filter((name) => name.endsWith('.jsonl'))
    return Promise.all(names.map((name) => readFile(join(path, name), 'utf8')))
  }
})

async function statusesOf(url: string): Promise<number[]> {
  const asked = Array.from({ length: CONNECTIONS }, () => fetch(url, ANOTHER_CONNECTION))
  return (await Promise.all(asked)).map(({ status }) => status)
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(50)
}

async function assertUnavailable(response: Response): Promise<void> {
  assert.equal(response.status, 503)
  assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  assert.equal(((await response.json()) as Refusal).error.code, 'unavailable')
}

function chat(url: string, key: string, stream = false): Promise<Response> {
  const body = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'x' }], stream })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' }
  return fetch(`${url}/v3/chat/completions`, { method: 'POST', headers, body })
}

function models(url: string, key: string): Promise<Response> {
  return fetch(`${url}/v3/models`, { headers: { authorization: `Bearer ${key}` } })
}
