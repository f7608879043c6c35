import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { storeKinds } from '../fakes/stores.ts'
import { runHere } from '../gateway/gateway-process.ts'
import { type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import {
  type Client,
  clientOf,
  firstOwner,
  invited,
  operator,
  PASSWORD,
  signedIn,
} from '../gateway/people-under-test.ts'

// Accounts that exist and have no way in, such as those of an import: a link sets their first password, once.

for (const { name, skip, newStore } of await storeKinds())
  describe(`accounts without a way in, on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let owner: Client
    let people = 0
    const closing = new AsyncDisposableStack()
    before(async () => {
      gateway = await startGateway({ newStore })
      closing.defer(() => gateway.close())
      owner = await firstOwner(gateway)
    })
    after(() => closing.disposeAsync())

    test('the link opens the account with its roles, once, and is in no log', async () => {
      const { id, email } = await person('member')
      const { status, body } = await owner('POST', `/admin/users/${id}/invitation`)
      assert.deepEqual(
        [status, body.email, body.url],
        [201, email, `${gateway.adminUrl}/setup#invitation=${body.token}`],
      )
      const opened = await accept(body.token)
      assert.deepEqual([opened.status, opened.body.id, opened.body.memberships[0].role], [201, id, 'member'])
      assert.equal((await (await signedIn(gateway, email))('GET', '/admin/me')).body.id, id)
      assert.equal((await accept(body.token)).status, 409)
      assert.ok(!gateway.logs().includes(body.token))
      assert.equal((await owner('GET', '/admin/audit?action=user.invite')).body.items[0].object, `user:${id}`)
    })

    test('a new link replaces the one before, and none is made for a person who can sign in', async () => {
      const { id } = await person('member')
      const first = (await owner('POST', `/admin/users/${id}/invitation`)).body.token
      const second = (await owner('POST', `/admin/users/${id}/invitation`)).body.token
      assert.equal((await accept(first)).status, 409)
      assert.equal((await accept(second)).status, 201)
      assert.equal((await owner('POST', `/admin/users/${id}/invitation`)).status, 409)
      const robot = (await owner('POST', '/admin/users', { name: 'robot' })).body.id
      assert.equal((await owner('POST', `/admin/users/${robot}/invitation`)).status, 409)
      assert.equal((await owner('POST', '/admin/users/00000000-0000-4000-8000-000000000000/invitation')).status, 404)
    })

    test('of two uses at the same time, one opens the account', async () => {
      const { id } = await person('member')
      const { token } = (await owner('POST', `/admin/users/${id}/invitation`)).body
      const answers = await Promise.all([accept(token), accept(token)])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409])
    })

    test('it ends with its time, with the account, and with the rights of its maker', async () => {
      const admin = await invited(owner, gateway, { email: 'admin@example.com', role: 'admin' })
      const made = async (role = 'member') => {
        const { id } = await person(role)
        return { id, token: (await admin('POST', `/admin/users/${id}/invitation`)).body.token as string }
      }
      const [late, disabled, raised, orphan] = [await made(), await made(), await made(), await made()]
      const { db } = gateway.gateway.services.calls
      await db.query('UPDATE account_links SET expires_at = 1 WHERE user_id = $1 RETURNING user_id', [late.id])
      await owner('PATCH', `/admin/users/${disabled.id}`, { disabled: true })
      // An admin who knows the token must not become an owner with it.
      const [member] = (await owner('GET', `/admin/members?user=${raised.id}`)).body.items
      await owner('PATCH', `/admin/members/${member.id}`, { role: 'owner' })
      for (const { token } of [late, disabled, raised]) assert.equal((await accept(token)).status, 409)
      assert.equal((await owner('DELETE', `/admin/users/${admin.id}`)).status, 204)
      assert.equal((await accept(orphan.token)).status, 409)
    })

    test('only those make one who could change the account', async () => {
      const { id } = await person('owner')
      const admin = await invited(owner, gateway, { email: 'second@example.com', role: 'admin' })
      assert.equal((await admin('POST', `/admin/users/${id}/invitation`)).status, 403)
      assert.equal((await clientOf(gateway)('POST', `/admin/users/${id}/invitation`)).status, 401)
    })

    test('the command lists who has no way in, and makes links for one or for all', async () => {
      const { email } = await person('member')
      assert.ok((await command()).stdout.split('\n').includes(email))
      const one = await command(email)
      assert.match(one.stdout, new RegExp(`^${email}  http://127\\.0\\.0\\.1:\\d+/setup#invitation=[\\w-]{43}\\n$`))
      const all = await command('--all')
      const line = all.stdout.split('\n').find((text) => text.startsWith(email))!
      assert.equal((await accept(line.split('=')[1]!)).status, 201)
      assert.ok(!(await command()).stdout.includes(email))
      assert.equal((await command(email)).code, 1)
      const { code, stderr } = await command('unknown@example.com')
      assert.match(
        `${code} ${stderr}`,
        /^1 gatehouse: There is no user with .* `gatehouse users list` shows all users\.\n$/,
      )
    })

    async function person(role: string): Promise<{ id: string; email: string }> {
      const email = `person-${people++}@example.com`
      const { body } = await operator(gateway)('POST', '/admin/users', { kind: 'person', name: email, email, role })
      return { id: body.id, email }
    }

    function accept(token: string) {
      return clientOf(gateway)('POST', '/admin/invitations/accept', { token, password: PASSWORD })
    }

    function command(...more: string[]) {
      return runHere(['users', 'invite', ...more], gateway.where)
    }
  })
