import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { McpServerBody, McpServerList, McpToolList } from '../../../src/contract/admin/mcp-servers.ts'
import { freePort } from '../../../src/platform/net/free-port.ts'
import { startMcpServer } from '../../fakes/mcp-server.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { adminClient, type Refusal } from '../../gateway/admin-client.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import { temporaryFolder } from '../../gateway/gateway-process.ts'
import { mcpClient } from '../mcp/mcp-client.ts'

const SECRET = 'a-canary-that-only-the-server-may-see'
const ENCRYPTION_KEY = 'an-encryption-key-of-thirty-two-characters'
const LOOK_MS = 50
const PATH = '/admin/mcp/servers'
const GONE = `http://127.0.0.1:${await freePort('127.0.0.1', 0)}/mcp`

for (const kind of await storeKinds()) {
  // Two gateways on one store, as two machines would be.
  describe(`MCP servers of the admin API on ${kind.name}`, { skip: kind.skip }, async () => {
    if (kind.skip) return
    const server = await startMcpServer()
    const folder = await temporaryFolder()
    const file = join(folder.path, 'gatehouse.config.json')
    await writeFile(file, JSON.stringify({ mcp: { servers: { 'of-file': { url: `${server.url}?token=a-secret` } } } }))
    const store = await kind.newStore()
    const env = {
      GATEHOUSE_CONFIG: file,
      ALLOW_NETWORKS: '127.0.0.0/8',
      GATEHOUSE_ENCRYPTION_KEY: ENCRYPTION_KEY,
      ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }),
    }
    const options = { env, dataDir: join(folder.path, 'data'), overrides: { lookMs: LOOK_MS } }
    const here = await startGateway(options)
    const there = await startGateway(options)
    const admin = adminClient(here.adminUrl)
    after(async () => {
      const ends = await Promise.allSettled([here.close(), there.close(), server.close()])
      await store.remove()
      await folder.remove()
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    })

    test('one works here at once and there soon, with its credential, and so does every change', async () => {
      const made = await admin.post<McpServerBody>(PATH, {
        name: 'tickets',
        url: server.url,
        credential: SECRET,
        header: 'X-Key',
        price_per_call: 0.5,
        tools: { deny: ['slow', 'fail'] },
      })
      assert.equal(made.status, 201, made.text)
      const { created_at, updated_at, ...shown } = made.body
      assert.deepEqual(shown, {
        name: 'tickets',
        owned_by: 'api',
        url: server.url,
        has_credential: true,
        header: 'x-key',
        active: true,
        tools: { allow: null, deny: ['slow', 'fail'] },
        applies_to: ['all'],
        price_per_call: 0.5,
        timeout_seconds: 60,
      })
      assert.deepEqual(await toolsAt(here.url), ['count', 'find'])
      assert.equal(server.seen.at(-1)!.headers['x-key'], SECRET)
      await until(async () => (await toolsAt(there.url)).length === 2)
      const changed = await admin.patch<McpServerBody>(`${PATH}/tickets`, {
        tools: { allow: ['find'] },
        credential: 'another-canary',
        header: null,
      })
      assert.deepEqual([changed.status, changed.body.header, changed.body.price_per_call], [200, null, 0.5])
      assert.deepEqual(await toolsAt(here.url), ['find'])
      assert.equal(server.seen.at(-1)!.headers.authorization, 'Bearer another-canary')
      await until(async () => (await toolsAt(there.url)).length === 1)
    })

    test('a restart has them from its first request', async () => {
      const restarted = await startGateway(options)
      assert.deepEqual(await toolsAt(restarted.url), ['find'])
      assert.equal(server.seen.at(-1)!.headers.authorization, 'Bearer another-canary')
      await restarted.close()
    })

    test('an operator sees all tools with their schemas, and which of them callers may use', async () => {
      const { status, body } = await admin.get<McpToolList>(`${PATH}/tickets/tools`)
      assert.equal(status, 200)
      const tools = body.items.map(({ name, allowed }) => `${name} ${allowed}`).sort()
      assert.deepEqual(tools, ['count false', 'fail false', 'find true', 'slow false'])
      const { input_schema } = body.items.find(({ name }) => name === 'find')!
      assert.deepEqual(input_schema.required, ['word'])
      assert.equal((await admin.get(`${PATH}/unknown/tools`)).status, 404)
    })

    test('one that does not answer says so', async () => {
      assert.equal((await admin.post(PATH, { name: 'gone', url: GONE })).status, 201)
      const { status, body } = await admin.get<Refusal>(`${PATH}/gone/tools`)
      assert.deepEqual([status, body.error.code], [502, 'upstream_error'])
      assert.equal((await admin.delete(`${PATH}/gone`)).status, 204)
    })

    test('another host gets no credential that was meant for the one before', async () => {
      const url = GONE
      const refused = await admin.patch<Refusal>(`${PATH}/tickets`, { url })
      assert.deepEqual([refused.status, refused.body.detail[0]!.loc], [422, ['body', 'url']])
      assert.equal((await admin.patch(`${PATH}/tickets`, { url: `${server.url}/` })).status, 200)
      const moved = await admin.patch<McpServerBody>(`${PATH}/tickets`, { url, credential: null })
      assert.deepEqual([moved.status, moved.body.has_credential], [200, false])
      const back = await admin.patch<McpServerBody>(`${PATH}/tickets`, { url: server.url })
      assert.deepEqual([back.status, back.body.has_credential], [200, false])
      assert.deepEqual(await toolsAt(here.url), ['find'])
      assert.equal(server.seen.at(-1)!.headers.authorization, undefined)
    })

    test('those of the file are listed, masked, and cannot be changed; unknown and taken names are refused', async () => {
      const first = await admin.get<McpServerList>(`${PATH}?limit=1`)
      const rest = await admin.get<McpServerList>(`${PATH}?cursor=${encodeURIComponent(first.body.next_cursor!)}`)
      const listed = [...first.body.items, ...rest.body.items].map(({ name, owned_by, url }) => [name, owned_by, url])
      assert.deepEqual(listed, [
        ['of-file', 'file', `${server.url}?***`],
        ['tickets', 'api', server.url],
      ])
      const refusals = [
        await admin.post<Refusal>(PATH, { name: 'of-file', url: server.url }),
        await admin.patch<Refusal>(`${PATH}/of-file`, { price_per_call: 1 }),
        await admin.delete(`${PATH}/of-file`),
        await admin.post<Refusal>(PATH, { name: 'tickets', url: server.url }),
        await admin.patch<Refusal>(`${PATH}/unknown`, {}),
        await admin.delete(`${PATH}/unknown`),
        await admin.get<Refusal>(`${PATH}/unknown`),
      ]
      assert.deepEqual(
        refusals.map(({ status }) => status),
        [409, 409, 409, 409, 404, 404, 404],
      )
      assert.match(refusals[0]!.body.error.message, /in the config file/)
    })

    test('what could not work is refused with its place', async () => {
      const { url } = server
      for (const [body, place] of [
        [{ name: 'Big Name', url }, 'name'],
        [{ name: 'x', url: 'ftp://example.com' }, 'url'],
        [{ name: 'x', url: 'https://user:password@example.com/mcp' }, 'url'],
        [{ name: 'x', url: 'https://example.com/mcp?key=secret' }, 'url'],
        [{ name: 'x', url: 'http://10.0.0.5/mcp' }, 'url'],
        [{ name: 'x', url: 'https://wiki.internal/mcp' }, 'url'],
        [{ name: 'x', url, applies_to: ['end_user:x'] }, 'applies_to'],
        [{ name: 'x', url, header: 'a b' }, 'header'],
        [{ name: 'x', url, price_per_call: -1 }, 'price_per_call'],
        [{ name: 'x', url, wat: 1 }, 'wat'],
      ] as const) {
        const { status, body: refusal } = await admin.post<Refusal>(PATH, body)
        assert.deepEqual([status, refusal.detail[0]!.loc[1]], [422, place], JSON.stringify(body))
      }
    })

    test('an address that the guard for outbound requests refuses is refused when it is set, and the former one stays', async () => {
      const refused = await admin.patch<Refusal>(`${PATH}/tickets`, { url: 'http://10.0.0.5/mcp', credential: null })
      assert.deepEqual([refused.status, refused.body.detail[0]!.loc], [422, ['body', 'url']])
      assert.match(refused.body.error.message, /This address cannot be reached from here/)
      assert.equal((await admin.get<McpServerBody>(`${PATH}/tickets`)).body.url, server.url)
    })

    test('a server is for those that it applies to', async () => {
      const { id, key } = await admin.issue()
      assert.equal((await admin.patch(`${PATH}/tickets`, { applies_to: [`key:${id}`] })).status, 200)
      assert.deepEqual(await toolsAt(here.url, key), ['find'])
      const other = await fetch(`${here.url}/v3/mcp/tickets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
      assert.equal(other.status, 404)
    })

    test('a removed one is gone in both, and its credential with it', async () => {
      assert.equal((await admin.delete(`${PATH}/tickets`)).status, 204)
      await assert.rejects(toolsAt(here.url))
      await until(async () => (await toolsAt(there.url).catch(() => undefined)) === undefined)
      const { db } = here.gateway.services.tenants
      const left = await db.query("SELECT name FROM secrets WHERE name LIKE 'mcp-server:%'")
      assert.deepEqual(left, [])
    })

    test('the audit log has every change, and no answer, log or audit has a credential', async () => {
      const audit = await admin.get<{ items: { action: string; before: object; after: object }[] }>(
        '/admin/audit?limit=200',
      )
      const changes = audit.body.items.filter(({ action }) => action.startsWith('mcp_server.'))
      const [made, changed] = changes.toReversed()
      assert.deepEqual([made!.action, changed!.action], ['mcp_server.create', 'mcp_server.update'])
      assert.deepEqual(changed!.after, { credential: 'changed', header: null, tools: { allow: ['find'] } })
      const texts = [audit.text, (await admin.get(PATH)).text, (await admin.get('/admin/config')).text]
      for (const text of [...texts, here.logs(), there.logs()]) assert.doesNotMatch(text, /canary|a-secret/)
    })
  })
}

async function toolsAt(url: string, key = API_KEY): Promise<string[]> {
  const client = await mcpClient(url, 'modern', { path: '/v3/mcp/tickets', key })
  try {
    const { tools } = await client.listTools()
    return tools.map(({ name }) => name).sort()
  } finally {
    await client.close()
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo().catch(() => false))) await sleep(LOOK_MS)
}
