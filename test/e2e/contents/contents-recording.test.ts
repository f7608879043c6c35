import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { KeySummary } from '../../../src/contract/admin/keys.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { type AdminClient, adminClient } from '../../gateway/admin-client.ts'
import { chatClient, HELLO } from '../../gateway/chat-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// "Record the next 20 requests of this key", in two processes that count together, and until its time is over.

for (const { name, skip, newStore } of await storeKinds())
  describe(`recording of a key on ${name}`, { skip }, () => {
    const gateways: GatewayUnderTest[] = []
    let admin: AdminClient
    const closing = new AsyncDisposableStack()
    before(async () => {
      const store = await newStore()
      closing.defer(() => store.remove())
      const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-recording-'))
      closing.defer(() => rm(dataDir, { recursive: true }))
      for (let process = 0; process < 2; process++) {
        const env: Record<string, string> = store.databaseUrl ? { DATABASE_URL: store.databaseUrl } : {}
        const gateway = await startGateway({ env, dataDir })
        closing.defer(() => gateway.close())
        gateways.push(gateway)
      }
      admin = adminClient(gateways[0]!.adminUrl)
    })
    after(() => closing.disposeAsync())

    test('of 26 requests at once to both processes, 20 are kept', async () => {
      const key = await recorded({ requests: 20, expires_in_seconds: 600 })
      await Promise.all(Array.from({ length: 26 }, (_, index) => ask(index % 2, key.key)))
      assert.equal(await keptOf(key.id), 20)
      assert.equal((await admin.get<KeySummary>(`/admin/keys/${key.id}`)).body.recording, null)
    })

    test('after its time, nothing is kept, although a process may still believe in it', async () => {
      const key = await recorded({ requests: 20, expires_in_seconds: 600 })
      await ask(0, key.key)
      const { db } = gateways[0]!.gateway.services.calls
      await db.query('UPDATE keys SET record_until = now_ms() - 1 WHERE id = $1 RETURNING id', [key.id])
      await ask(0, key.key)
      await ask(1, key.key)
      assert.equal(await keptOf(key.id), 1)
      assert.equal((await admin.get<KeySummary>(`/admin/keys/${key.id}`)).body.recording, null)
    })

    test('a recording always has an end: none for longer than allowed, and one without a time gets one', async () => {
      const { id } = await admin.issue({})
      for (const asked of [
        { requests: 20, expires_in_seconds: 1e9 },
        { requests: 1e6, expires_in_seconds: 60 },
      ])
        assert.equal((await admin.post(`/admin/keys/${id}/record`, asked)).status, 422, JSON.stringify(asked))
      assert.equal((await admin.get<KeySummary>(`/admin/keys/${id}`)).body.recording, null)
      await admin.post(`/admin/keys/${id}/record`, { requests: 20 })
      const { recording } = (await admin.get<KeySummary>(`/admin/keys/${id}`)).body
      assert.ok(recording === null || Date.parse(recording!.expires_at) > 0)
    })

    async function recorded(asked: object): Promise<{ id: string; key: string }> {
      const key = await admin.issue({})
      const { status, text } = await admin.post(`/admin/keys/${key.id}/record`, { mode: 'full', ...asked })
      assert.equal(status, 200, text)
      await Promise.all(gateways.map(({ gateway }) => gateway.services.calls.contents.refresh()))
      return key
    }

    async function ask(process: number, key: string): Promise<void> {
      const headers = { authorization: `Bearer ${key}` }
      await chatClient(gateways[process]!.url).whole({ model: 'sandbox/echo', ...HELLO }, { headers })
      await gateways[process]!.gateway.services.calls.contents.written()
    }

    async function keptOf(id: string): Promise<number> {
      const { db } = gateways[0]!.gateway.services.calls
      await Promise.all(gateways.map(({ gateway }) => gateway.services.calls.ledger.flush()))
      const sql = 'SELECT COUNT(*) AS count FROM contents WHERE call_id IN (SELECT id FROM usage WHERE key_id = $1)'
      return (await db.query<{ count: number }>(sql, [id]))[0]!.count
    }
  })
