import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { HealthReply } from '../../../src/contract/health.ts'
import { MIGRATIONS } from '../../../src/platform/store/migrations.ts'
import { holdLock, holdMigrations } from '../../fakes/hold-store.ts'
import { memoryFolder } from '../../fakes/memory-folder.ts'
import { seedMigratedFile } from '../../fakes/migrated-file.ts'
import { withSharedKey } from '../../fakes/signing-key.ts'
import { closer, type StoreKind, storeKinds } from '../../fakes/stores.ts'
import { withMigration } from '../../fakes/with-migration.ts'
import type { Refusal } from '../../gateway/admin-client.ts'
import { lineWith, NO_CONFIG, startChild } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'

const NUMBER = MIGRATIONS.length + 1
const CREATE = 'CREATE TABLE slow_things (id BIGINT)'
const FILL = 'INSERT INTO slow_things VALUES (1)'
const KEYS = { GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY, GATEHOUSE_CONFIG: NO_CONFIG }
const CHAT = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'x' }] }

for (const kind of await storeKinds()) {
  describe(`a slow migration on ${kind.name}`, { skip: kind.skip }, () => {
    test('shows its progress, refuses everything but /health, and is done again after a SIGKILL', async (t) => {
      const closing = closer(t)
      const installation = await newInstallation(closing, kind, 'newStore')
      const held = await holdLock(installation)
      closing.defer(held.release)
      const killed = await startMigrating(closing, installation, [CREATE, held.endless, FILL])
      const { reason } = await untilReason(killed.url, /statement 2/)
      const progress = `migration ${NUMBER} of ${NUMBER}, statement 2 of 3.`
      assert.match(reason!, new RegExp(`^The database is being migrated for \\d+ s: ${progress}$`))
      for (const url of [killed.url, killed.adminUrl]) await assertOnlyHealth(url, progress)
      killed.child.kill('SIGKILL')
      await once(killed.child, 'close')
      await held.release()

      const gateway = await startGateway({ ...installation, overrides: { migrations: withMigration([CREATE, FILL]) } })
      closing.defer(gateway.close)
      assert.equal((await chat(gateway.url)).status, 200)
      const rows = await gateway.gateway.services.calls.db.query<{ id: number }>('SELECT id FROM slow_things')
      assert.deepEqual(rows, [{ id: 1 }])
    })

    test('of another process: the start waits for it with open ports, and is completed when it has ended', async (t) => {
      const closing = closer(t)
      const installation = await newInstallation(closing, kind, 'newStore')
      const letGo = await holdMigrations(installation)
      const overrides = { migrations: withMigration([CREATE]), slowStartMs: 0 }
      const gateway = await startGateway({ ...installation, overrides })
      closing.defer(gateway.close)
      closing.defer(letGo)
      await untilReason(gateway.url, /waiting for another process/)
      for (const url of [gateway.url, gateway.adminUrl]) await assertOnlyHealth(url, 'waiting for another process.')
      await letGo()
      await gateway.gateway.opened
      while ((await fetch(`${gateway.url}/health/ready`)).status !== 200) await turn()
      assert.equal((await chat(gateway.url)).status, 200)
    })

    test('keeps no port of two API processes closed, and SIGTERM ends all of them at once', async (t) => {
      const closing = closer(t)
      const installation = await newInstallation(closing, kind, 'emptyStore')
      closing.defer(await holdMigrations(installation))
      const { child, output } = startChild({
        DATA_DIR: installation.dataDir,
        WORKERS: '2',
        ...installation.env,
        ...KEYS,
      })
      closing.defer(() => void child.kill('SIGKILL'))
      const line = JSON.parse(await lineWith(child, output, 'the start takes long'))
      const url = line.base_url.replace(/\/v3$/, '')
      await untilReason(url, /waiting for another process/)
      for (const one of [url, line.admin_url]) await assertOnlyHealth(one, 'waiting for another process.')
      child.kill('SIGTERM')
      // Its output is closed when the API processes have ended too.
      assert.deepEqual(await once(child, 'close'), [null, 'SIGTERM'])
    })
  })
}

type Installation = { dataDir: string; env: Record<string, string> }

/** A data folder, and a store with the newest schema or without any. */
async function newInstallation(
  closing: AsyncDisposableStack,
  kind: StoreKind,
  schema: 'newStore' | 'emptyStore',
): Promise<Installation> {
  const dataDir = await mkdtemp(join(memoryFolder(), 'gatehouse-migration-'))
  closing.defer(() => rm(dataDir, { recursive: true, force: true }))
  const { databaseUrl, remove } = await kind[schema]()
  closing.defer(remove)
  if (!databaseUrl && schema === 'newStore') await seedMigratedFile(dataDir)
  return { dataDir, env: { ...withSharedKey(), ...(databaseUrl && { DATABASE_URL: databaseUrl }) } }
}

async function startMigrating(
  closing: AsyncDisposableStack,
  { dataDir, env }: Installation,
  statements: readonly string[],
): Promise<{ child: ChildProcess; url: string; adminUrl: string }> {
  const script = join(import.meta.dirname, '..', '..', 'fakes', 'migrating-gateway.ts')
  const child = spawn(process.execPath, [script, JSON.stringify(statements)], {
    env: { DATA_DIR: dataDir, ...env, ...KEYS },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  closing.defer(() => void child.kill('SIGKILL'))
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk
    })
  return { child, ...JSON.parse(await lineWith(child, () => text, '"listens"')) }
}

async function untilReason(url: string, words: RegExp): Promise<HealthReply> {
  for (;;) {
    const response = await fetch(`${url}/health/ready`)
    const reply = (await response.json()) as HealthReply
    assert.deepEqual([response.status, reply.status], [503, 'starting'])
    if (words.test(reply.reason ?? '')) return reply
    await turn()
  }
}

async function assertOnlyHealth(url: string, progress: string): Promise<void> {
  const live = await fetch(`${url}/health/live`)
  assert.deepEqual([live.status, await live.json()], [200, { status: 'live' }])
  const headers = { authorization: `Bearer ${ADMIN_KEY}` }
  const asked = ['/docs', '/', '/nowhere', '/admin/keys', '/metrics', '/v3/models'].map((path) =>
    fetch(`${url}${path}`, { headers }),
  )
  for (const response of await Promise.all([...asked, chat(url)])) {
    assert.equal(response.status, 503, response.url)
    assert.equal(response.headers.get('retry-after'), '5')
    const { error } = (await response.json()) as Refusal
    assert.equal(error.code, 'unavailable')
    assert.ok(error.message.startsWith('The gateway is starting. The database is being migrated'), error.message)
    assert.ok(error.message.endsWith(`${progress} Try again shortly.`), error.message)
  }
}

function chat(url: string): Promise<Response> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  return fetch(`${url}/v3/chat/completions`, { method: 'POST', headers, body: JSON.stringify(CHAT) })
}
