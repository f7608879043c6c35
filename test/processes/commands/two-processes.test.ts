import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AdminClient, adminClient } from '../../gateway/admin-client.ts'
import { type GatewayProcess, startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// Two processes on one SQLite file: a child process, and this one. Both get their keys from the environment.

const KEYS = { GATEHOUSE_API_KEY: 'any old string', GATEHOUSE_ADMIN_KEY: 'another one' }

describe('two processes on one file', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let here: GatewayUnderTest
  let there: GatewayProcess
  before(async () => {
    folder = await temporaryFolder()
    const env = { DATA_DIR: folder.path, ...KEYS }
    ;[here, there] = await Promise.all([startGateway({ env: KEYS, dataDir: folder.path }), startProcess(env)])
  })
  after(async () => {
    await Promise.all([here?.close(), there?.stop()])
    await folder.remove()
  })

  test('with keys from the environment none are made, and those work as they are', async () => {
    assert.doesNotMatch(there.output(), /gate_|shown only once|any old string|another one/)
    assert.equal(await models(there.url, KEYS.GATEHOUSE_API_KEY), 200)
    const { body } = await administering(there).get<{ items: object[] }>('/admin/keys')
    assert.deepEqual(body.items, [])
  })

  test('a key made in one works in the other; revoked in either, it is refused in both', async () => {
    const sides = [
      { admin: administering(here), url: here.url, farUrl: there.url },
      { admin: administering(there), url: there.url, farUrl: here.url },
    ]
    await Promise.all(sides.map(madeUsedAndRevoked))
  })

  test('a policy that is changed, and a project that is deleted in one, are obeyed by the other', async () => {
    const admin = administering(here)
    await admin.post('/admin/projects', { id: 'shared', name: 'shared' })
    const { key } = await admin.issue({ project: 'shared' })
    assert.equal(await chat(there.url, key), 200)
    await admin.patch('/admin/projects/shared', { policy: { models: ['openai/*'] } })
    assert.equal(await chat(here.url, key), 403)
    await until(async () => (await chat(there.url, key)) === 403)
    assert.equal((await admin.delete('/admin/projects/shared')).status, 204)
    assert.equal(await models(here.url, key), 401)
    await until(async () => (await models(there.url, key)) === 401)
  })

  test('the usage of both processes is in one report', async () => {
    const admin = administering(there)
    const { id, key } = await admin.issue()
    for (const url of [here.url, there.url]) await until(async () => (await chat(url, key)) === 200)
    await here.gateway.services.calls.ledger.flush()
    await until(async () => {
      const { body } = await admin.get<{ items: { group: string; requests: number }[] }>('/admin/usage?group_by=key')
      return body.items.some(({ group, requests }) => group === id && requests === 2)
    })
  })

  test('the process that is stopped ends cleanly', async () => {
    const { code } = await there.stop()
    assert.equal(code, 0)
  })

  async function madeUsedAndRevoked({ admin, url, farUrl }: { admin: AdminClient; url: string; farUrl: string }) {
    const { id, key } = await admin.issue()
    for (const side of [url, farUrl]) assert.equal(await models(side, key), 200)
    assert.equal((await admin.delete(`/admin/keys/${id}`)).status, 204)
    assert.equal(await models(url, key), 401)
    await until(async () => (await models(farUrl, key)) === 401)
  }
})

function administering({ adminUrl }: { adminUrl: string }): AdminClient {
  return adminClient(adminUrl, KEYS.GATEHOUSE_ADMIN_KEY)
}

async function models(url: string, key: string): Promise<number> {
  return (await fetch(`${url}/v3/models`, { headers: { authorization: `Bearer ${key}` } })).status
}

async function chat(url: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'x' }] })
  return (await fetch(`${url}/v3/chat/completions`, { method: 'POST', headers, body })).status
}

/** Polls, because the other process does not report when it has looked. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(50)
}
