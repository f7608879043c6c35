import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConfigReport } from '../../../src/contract/admin/config.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { type AdminClient, type Refusal, adminClient } from '../../gateway/admin-client.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

type Audit = { items: { action: string; object: string; actor: string; after: unknown }[] }

const LOOK_MS = 50

for (const { name, skip, newStore } of await storeKinds())
  describe(`PATCH /admin/config on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let other: GatewayUnderTest
    let folder: string
    let admin: AdminClient
    let remove: () => Promise<void>
    before(async () => {
      const store = await newStore()
      remove = store.remove
      const env = {
        LOG_LEVEL: 'info',
        ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }),
      }
      folder = await mkdtemp(join(tmpdir(), 'gatehouse-level-'))
      gateway = await startGateway({ env, dataDir: folder, overrides: { lookMs: LOOK_MS } })
      other = await startGateway({ env, dataDir: folder, overrides: { lookMs: LOOK_MS } })
      admin = adminClient(gateway.adminUrl)
    })
    after(async () => {
      await gateway?.close()
      await other?.close()
      await rm(folder, { recursive: true })
      await remove?.()
    })

    test('a level applies at once, here and in other processes, and is in the audit log', async () => {
      assert.equal(await linesOf(gateway), 1)
      const { status } = await admin.patch<ConfigReport>('/admin/config', { log_level: 'warn' })
      assert.equal(status, 200)
      assert.equal(await linesOf(gateway), 0)
      while ((await linesOf(other)) > 0) await sleep(LOOK_MS)
      const { items } = (await admin.get<Audit>('/admin/audit?action=config.update')).body
      assert.deepEqual([items.length, items[0]!.object], [1, 'config'])
      assert.deepEqual(items[0]!.after, { log_level: 'warn' })
    })

    test('null returns to the level of the configuration', async () => {
      await admin.patch('/admin/config', { log_level: 'error' })
      assert.equal(await linesOf(gateway), 0)
      await admin.patch('/admin/config', { log_level: null })
      assert.equal(await linesOf(gateway), 1)
    })

    test('a level that does not exist is refused, and nothing changes', async () => {
      for (const body of [{ log_level: 'loud' }, { log_level: 7 }, {}, { log_level: 'warn', port: 1 }]) {
        const { status, text } = await admin.patch<Refusal>('/admin/config', body)
        assert.equal(status, 422, text)
      }
      assert.equal(await linesOf(gateway), 1)
    })

    /** How many lines a request leaves in the log. */
    async function linesOf({ url, logs }: GatewayUnderTest): Promise<number> {
      const before = logs().length
      const response = await fetch(`${url}/v3/models`, { headers: { authorization: `Bearer ${API_KEY}` } })
      await response.text()
      await new Promise(setImmediate)
      return (
        logs()
          .slice(before)
          .match(/"endpoint":"GET \/v3\/models"/g) ?? []
      ).length
    }
  })
