import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newSetupToken } from '../../src/tenants/sign-in/setup.ts'
import type { Database } from '../../src/platform/store/database.ts'
import { startGateway } from '../gateway/gateway-under-test.ts'
import { clientOf, cookieIn, PASSWORD } from '../gateway/people-under-test.ts'
import { closer, storeKinds } from '../fakes/stores.ts'

// An attacker who reads the database, or a copy of it, cannot sign in with what it contains: of every secret it has a digest
// only.

for (const { name, skip, newStore } of await storeKinds())
  describe(`secrets of people in the store on ${name}`, { skip }, () => {
    test('no table has a password, or the token of a link, a session, a service account or a key', async (t) => {
      const closing = closer(t)
      const gateway = await startGateway({ newStore })
      closing.defer(() => gateway.close())
      const setup = (await newSetupToken(gateway.gateway.services.tenants))!
      const first = { token: setup, email: 'owner@example.com', name: 'Olga', password: PASSWORD }
      const opened = await clientOf(gateway)('POST', '/admin/setup', first)
      const session = cookieIn(opened).split('=')[1]!
      const owner = clientOf(gateway, { cookie: cookieIn(opened) })
      const made = async (path: string, body?: object) => {
        const answer = await owner('POST', path, body)
        assert.equal(answer.status, 201, `${path} ${JSON.stringify(answer.body)}`)
        return answer.body
      }
      const invitation = await made('/admin/invitations', { email: 'ann@example.com', role: 'member' })
      const robot = await made('/admin/users', { name: 'robot', role: 'member' })
      const person = await made('/admin/users', { kind: 'person', name: 'Bob', email: 'bob@example.com' })
      const { token } = await made(`/admin/users/${robot.id}/tokens`, { name: 't' })
      const link = await made(`/admin/users/${person.id}/invitation`)
      const { key } = await made('/admin/keys', { name: 'k' })
      const texts = await textsOf(gateway.gateway.services.calls.db)
      assert.ok(texts.get('users')!.includes('owner@example.com'), 'the tables are read')
      const secrets = { setup, session, invitation: invitation.token, token, link: link.token, key, password: PASSWORD }
      for (const [table, text] of texts)
        for (const [what, secret] of Object.entries(secrets)) assert.ok(!text.includes(secret), `${what} in ${table}`)
    })
  })

/** Everything in every table. */
async function textsOf(db: Database): Promise<Map<string, string>> {
  const sql =
    db.kind === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'"
  const tables = await db.query<{ name: string }>(sql)
  return new Map(
    await Promise.all(
      tables.map(async ({ name }) => [name, JSON.stringify(await db.query(`SELECT * FROM ${name}`))] as const),
    ),
  )
}
