import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { storeKinds } from '../../fakes/stores.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, firstOwner, invited, operator } from '../../gateway/people-under-test.ts'

// What is deleted with an end user, and with a project.

const POLL_MS = 10

for (const { name, skip, newStore } of await storeKinds()) {
  describe(`deleted content on ${name}`, { skip }, () => {
    const closing = new AsyncDisposableStack()
    let gateway: GatewayUnderTest
    let admin: Client
    before(async () => {
      gateway = await startGateway({ newStore })
      admin = operator(gateway)
      closing.defer(() => gateway.close())
    })
    after(() => closing.disposeAsync())

    test('everything that names an end user goes with that end user, and nothing else does', async () => {
      await admin('POST', '/admin/projects', { id: 'shop', name: 'shop' })
      const { key } = (await admin('POST', '/admin/keys', { name: 'k', project: 'shop' })).body
      const api = apiOf(key)
      const [ofMia, ofMax] = [await contentOf('mia', key), await contentOf('max', key)]
      const deleted = await admin('DELETE', '/admin/projects/shop/end-users/mia/content')
      assert.deepEqual([deleted.status, deleted.body.is_complete ?? deleted.body.complete], [200, true])
      for (const path of ofMia) assert.equal((await api('GET', path)).status, 404, path)
      for (const path of ofMax) assert.equal((await api('GET', path)).status, 200, path)
      const rows = await gateway.gateway.services.calls.db.query(
        `SELECT 'x' AS found FROM files WHERE end_user = 'mia' UNION ALL SELECT 'x' FROM jobs WHERE end_user = 'mia'
         UNION ALL SELECT 'x' FROM conversations WHERE end_user = 'mia'`,
      )
      assert.deepEqual(rows, [])
    })

    test('an end user is found by the name that the requests gave, however long or odd it is', async () => {
      await admin('POST', '/admin/projects', { id: 'odd', name: 'odd' })
      const { key } = (await admin('POST', '/admin/keys', { name: 'k', project: 'odd' })).body
      for (const user of ['two\tparts', 'a\u0085b', 'é'.repeat(200), 'a/b', '__proto__']) {
        const named = encodeURIComponent(user)
        const paths = await contentOf(user, key)
        await gateway.gateway.services.calls.ledger.flush()
        const found = await admin('GET', `/admin/requests?project=odd&end_user=${named}`)
        assert.ok(found.body.items.length > 0, user)
        assert.equal((await admin('DELETE', `/admin/projects/odd/end-users/${named}/content`)).status, 200)
        for (const path of paths) assert.equal((await apiOf(key)('GET', path)).status, 404, `${path} ${user}`)
      }
    })

    test('memberships, invitations and limits end with their project, and sessions with the rights', async () => {
      for (const id of ['ended', 'stays']) await admin('POST', '/admin/projects', { id, name: id })
      const owner = await firstOwner(gateway)
      const member = await invited(owner, gateway, { email: 'mia@example.com', role: 'member', project: 'ended' })
      await admin('POST', '/admin/invitations', { email: 'max@example.com', role: 'member', project: 'ended' })
      const { id: key } = (await admin('POST', '/admin/keys', { name: 'k', project: 'ended' })).body
      for (const [id, applies_to] of Object.entries({
        one: 'project:ended',
        two: `key:${key}`,
        three: 'project:stays',
        four: 'project:ended-not',
      }))
        assert.equal((await admin('POST', '/admin/budgets', { id, applies_to, limit: 5, window: 'day' })).status, 201)
      assert.equal((await admin('DELETE', '/admin/projects/ended')).status, 204)
      const ids = (list: { id: string }[]) => list.map(({ id }) => id)
      assert.deepEqual(ids((await admin('GET', '/admin/budgets')).body.items).sort(), ['four', 'three'])
      assert.deepEqual((await admin('GET', '/admin/invitations')).body.items.filter(isOpen), [])
      const left = (await admin('GET', '/admin/members')).body.items as { project: string | null }[]
      assert.ok(left.every(({ project }) => project !== 'ended'))
      assert.equal((await member('GET', '/admin/me')).status, 401)
    })

    test('what a person has stored in the playground ends with the person, and nothing of others does', async () => {
      await admin('POST', '/admin/projects', { id: 'private', name: 'private', share: 'key' })
      const people: string[] = []
      for (const who of ['leaves', 'stays-there']) {
        const { body } = await admin('POST', '/admin/users', { name: who, role: 'member', project: 'private' })
        const { token } = (await admin('POST', `/admin/users/${body.id}/tokens`, { name: 't' })).body
        const person = clientOf(gateway, { authorization: `Bearer ${token}` })
        const task = { model: 'text/moderation/sandbox', input: { text: 'Hello!' } }
        const job = await person('POST', '/admin/playground/universal-ai/async?project=private', task)
        assert.equal(job.status, 202, JSON.stringify(job.body))
        people.push(body.id)
      }
      const jobs = async () => {
        const { db } = gateway.gateway.services.calls
        const sql =
          "SELECT owner_kind AS kind, owner_id AS id FROM jobs WHERE project = 'private' ORDER BY created_at, id"
        return (await db.query<{ kind: string; id: string }>(sql)).map(({ kind, id }) => [kind, id])
      }
      assert.deepEqual(new Set((await jobs()).map(String)), new Set(people.map((id) => `person,${id}`)))
      assert.equal((await admin('DELETE', `/admin/users/${people[0]}`)).status, 204)
      assert.deepEqual(await jobs(), [['person', people[1]]])
    })

    type Api = (method: string, path: string, body?: object) => ReturnType<Client>

    function apiOf(key: string): Api {
      return clientOf({ adminUrl: gateway.url }, { authorization: `Bearer ${key}` })
    }

    /** An upload, a conversation, a stored response, one in the background and a job. Returns where they are. */
    async function contentOf(user: string, key: string): Promise<string[]> {
      const [api, model] = [apiOf(key), 'sandbox/echo']
      const { id: conversation } = (await api('POST', '/v3/conversations', {})).body
      const inside = await api('POST', '/v3/responses', { model, input: 'Hello!', user, conversation })
      const { id: named } = (await api('POST', '/v3/conversations', { metadata: { user_id: user } })).body
      const later = await api('POST', '/v3/responses', { model, input: 'Hello!', user, background: true })
      const task = { model: 'text/moderation/sandbox', input: { text: 'Hello!' }, metadata: { user_id: user } }
      const job = await api('POST', '/v3/universal-ai/async', task)
      assert.deepEqual([inside.status, later.status, job.status], [200, 200, 202], JSON.stringify(job.body))
      const paths = [
        `/v3/conversations/${conversation}`,
        `/v3/conversations/${named}`,
        `/v3/responses/${inside.body.id}`,
        `/v3/responses/${later.body.id}`,
        `/v3/universal-ai/async/${job.body.public_id}`,
        `/v3/upload/${await upload(user, key)}`,
      ]
      for (const path of paths) while (isRunning(await api('GET', path))) await setTimeout(POLL_MS)
      return paths
    }

    async function upload(user: string, key: string): Promise<string> {
      const form = new FormData()
      form.set('user', user)
      form.set('file', new Blob([`text of ${user}`]), 'a.txt')
      const headers = { authorization: `Bearer ${key}` }
      const reply = await fetch(`${gateway.url}/v3/upload`, { method: 'POST', headers, body: form })
      return ((await reply.json()) as { file_id: string }).file_id
    }
  })
}

function isRunning({ body }: Awaited<ReturnType<Client>>): boolean {
  return ['queued', 'in_progress', 'processing', 'running'].includes(body.status)
}

function isOpen({ used_at }: { used_at: string | null }): boolean {
  return used_at === null
}
