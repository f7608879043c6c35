import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { storeKinds } from '../../fakes/stores.ts'
import type { GatewayUnderTest } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, cookieIn, firstOwner } from '../../gateway/people-under-test.ts'
import { invited, operator, PASSWORD, signedIn } from '../../gateway/people-under-test.ts'
import { TwoGateways } from './two-gateways.ts'

// People, their rights and what the audit log says of them, with two processes on one store.

for (const { name, skip, newStore } of await storeKinds()) {
  describe(`people on ${name}`, { skip }, () => {
    const site = new TwoGateways(newStore)
    let owner: Client
    before(async () => {
      for (const project of ['research', 'search'])
        await operator(site.here)('POST', '/admin/keys', { name: 'x', owner: project })
      owner = await firstOwner(site.here)
    })

    test('an invitation is for one person, once, and ends with the rights of its maker', async () => {
      const made = await owner('POST', '/admin/invitations', {
        email: 'ann@example.com',
        role: 'manager',
        project: 'research',
      })
      assert.match(made.body.url, /^http:\/\/127\.0\.0\.1:\d+\/setup#invitation=[\w-]{43}$/)
      const accept = (token: string, more: object = {}) =>
        clientOf(site.there)('POST', '/admin/invitations/accept', { token, name: 'Ann', password: PASSWORD, ...more })
      const both = await Promise.all([accept(made.body.token), accept(made.body.token)])
      assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409])
      assert.equal((await accept(made.body.token)).status, 409)
      const ann = await signedIn(site.there, 'ann@example.com')
      const meOfAnn = (await ann('GET', '/admin/me')).body
      assert.deepEqual(meOfAnn.memberships, [{ organization: 'default', project: 'research', role: 'manager' }])
      // Ann loses her role: whom she invited cannot come in any more.
      const pending = await ann('POST', '/admin/invitations', {
        email: 'back@example.com',
        role: 'manager',
        project: 'research',
      })
      const [member] = (await owner('GET', `/admin/members?user=${meOfAnn.id}`)).body.items
      assert.equal((await owner('DELETE', `/admin/members/${member.id}`)).status, 204)
      assert.equal((await ann('GET', '/admin/me')).status, 401, 'a change of rights ends the session')
      assert.equal((await accept(pending.body.token)).status, 409)
      assert.ok(!(site.here.logs() + site.there.logs()).includes(made.body.token))
    })

    test('the maker of an invitation cannot get into the account of the invited person with it', async () => {
      const made = await owner('POST', '/admin/invitations', {
        email: 'ann@example.com',
        role: 'member',
        project: 'search',
      })
      const body = { token: made.body.token, name: 'Not Ann', password: 'another long password' }
      assert.equal((await clientOf(site.here)('POST', '/admin/invitations/accept', body)).status, 409)
      assert.equal((await owner('POST', '/admin/invitations/accept', body)).status, 409)
      const ann = await signedIn(site.here, 'ann@example.com')
      assert.equal((await ann('POST', '/admin/invitations/accept', { token: made.body.token })).status, 201)
      assert.equal((await ann('GET', '/admin/me')).status, 401, 'the rights have changed, so the old session has ended')
      const again = await signedIn(site.here, 'ann@example.com')
      assert.equal((await again('GET', '/admin/me')).body.memberships[0].project, 'search')
    })

    test('the keys of a person end with the membership, in all processes', async () => {
      const bob = await invited(owner, site.here, { email: 'bob@example.com', role: 'member', project: 'research' })
      const made = await bob('POST', '/admin/keys', { name: 'mine' })
      assert.deepEqual([made.body.project, made.body.user], ['research', bob.id])
      const ofProject = (await owner('POST', '/admin/keys', { name: 'of the project', project: 'research' })).body.key
      const status = async (gateway: GatewayUnderTest, key: string) =>
        (await fetch(`${gateway.url}/v3/models`, { headers: { authorization: `Bearer ${key}` } })).status
      for (const gateway of [site.here, site.there]) assert.equal(await status(gateway, made.body.key), 200)
      const [member] = (await owner('GET', `/admin/members?user=${bob.id}`)).body.items
      assert.equal((await owner('DELETE', `/admin/members/${member.id}`)).status, 204)
      await site.there.gateway.services.tenants.keyCache.refresh()
      for (const gateway of [site.here, site.there])
        assert.deepEqual([await status(gateway, made.body.key), await status(gateway, ofProject)], [401, 200])
    })

    test('a disabled user can do nothing, and the last owner cannot be disabled, deleted, demoted or removed', async () => {
      const eve = await invited(owner, site.here, { email: 'eve@example.com', role: 'owner' })
      const { id } = (await owner('GET', '/admin/me')).body
      const key = (await owner('POST', '/admin/keys', { name: 'of eve', user: eve.id })).body.key
      assert.equal((await owner('PATCH', `/admin/users/${eve.id}`, { disabled: true })).status, 200)
      assert.equal((await eve('GET', '/admin/me')).status, 401)
      const signIn = await clientOf(site.there)('POST', '/admin/sessions', {
        email: 'eve@example.com',
        password: PASSWORD,
      })
      assert.equal(signIn.status, 401)
      const models = await fetch(`${site.here.url}/v3/models`, { headers: { authorization: `Bearer ${key}` } })
      assert.equal(models.status, 401)
      const [own] = (await owner('GET', `/admin/members?user=${id}`)).body.items
      const admin = operator(site.here)
      for (const last of [
        await admin('PATCH', `/admin/users/${id}`, { disabled: true }),
        await admin('DELETE', `/admin/users/${id}`),
        await admin('PATCH', `/admin/members/${own.id}`, { role: 'admin' }),
        await admin('DELETE', `/admin/members/${own.id}`),
      ])
        assert.deepEqual([last.status, last.body.error?.code], [409, 'conflict'])
      assert.equal((await owner('PATCH', `/admin/users/${eve.id}`, { disabled: false })).status, 200)
      const removals = await Promise.all([
        operator(site.here)('DELETE', `/admin/users/${eve.id}`),
        operator(site.there)('PATCH', `/admin/users/${id}`, { disabled: true }),
      ])
      assert.deepEqual(removals.map(({ status }) => status >= 400).sort(), [false, true], 'of two at once, one remains')
      await operator(site.there)('PATCH', `/admin/users/${id}`, { disabled: false })
      owner = await signedIn(site.here, 'owner@example.com')
    })

    test('a person cannot get more rights through a field that a request may not have, or give a role above their own', async () => {
      const admin = await invited(owner, site.here, { email: 'admin@example.com', role: 'admin' })
      const manager = await invited(owner, site.here, {
        email: 'max@example.com',
        role: 'manager',
        project: 'research',
      })
      const member = await invited(manager, site.here, {
        email: 'mia@example.com',
        role: 'member',
        project: 'research',
      })
      const { id: ownerId } = (await owner('GET', '/admin/me')).body
      const [ofMember] = (await manager('GET', `/admin/members?user=${member.id}`)).body.items
      const [ofAdmin] = (await owner('GET', `/admin/members?user=${admin.id}`)).body.items
      const otherKey = (await owner('POST', '/admin/keys', { name: 'of search', project: 'search' })).body
      const cases: [Client, string, string, object | undefined, number][] = [
        [member, 'PATCH', '/admin/me', { role: 'owner' }, 422],
        [member, 'PATCH', '/admin/me', { memberships: [{ role: 'owner' }] }, 422],
        [member, 'POST', '/admin/keys', { name: 'x', project: 'search' }, 403],
        [member, 'POST', '/admin/keys', { name: 'x', owner: 'search' }, 403],
        [member, 'POST', '/admin/keys', { name: 'x', owner: otherKey.id }, 403],
        [member, 'POST', '/admin/keys', { name: 'x', user: ownerId }, 403],
        [member, 'POST', '/admin/keys', { name: 'x', kind: 'admin' }, 422],
        [member, 'POST', '/admin/members', { user: member.id, role: 'manager', project: 'research' }, 403],
        [manager, 'POST', '/admin/keys', { name: 'x', project: 'research', user: ownerId, owner: 'search' }, 403],
        [manager, 'POST', '/admin/keys', { name: 'x', project: 'search' }, 403],
        [manager, 'GET', `/admin/keys/${otherKey.id}`, undefined, 404],
        [manager, 'DELETE', `/admin/keys/${otherKey.id}`, undefined, 404],
        [manager, 'POST', '/admin/members', { user: manager.id, role: 'owner' }, 403],
        [manager, 'POST', '/admin/members', { user: manager.id, role: 'member', project: 'search' }, 403],
        [manager, 'POST', '/admin/invitations', { email: 'x@example.com', role: 'member' }, 403],
        [manager, 'PATCH', `/admin/members/${ofMember.id}`, { role: 'member', project: 'search' }, 422],
        [manager, 'PATCH', `/admin/members/${ofAdmin.id}`, { role: 'member' }, 404],
        [manager, 'PATCH', `/admin/users/${ownerId}`, { disabled: true }, 403],
        [admin, 'POST', '/admin/members', { user: member.id, role: 'owner' }, 403],
        [admin, 'PATCH', `/admin/members/${ofAdmin.id}`, { role: 'owner' }, 403],
        [admin, 'PATCH', `/admin/users/${ownerId}`, { email: 'mine@example.com' }, 403],
        [admin, 'PATCH', `/admin/users/${ownerId}`, { password: 'a new long password' }, 422],
        [admin, 'DELETE', `/admin/users/${ownerId}`, undefined, 403],
        [admin, 'POST', '/admin/users', { name: 'robot', role: 'owner' }, 403],
        [admin, 'POST', '/admin/users', { name: 'robot', role: 'auditor' }, 403],
        [admin, 'POST', '/admin/users', { name: 'robot', role: 'admin', id: ownerId }, 422],
        [admin, 'GET', '/admin/audit?format=jsonl', undefined, 403],
      ]
      for (const [client, method, path, body, status] of cases) {
        const answer = await client(method, path, body)
        assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(body)} ${JSON.stringify(answer.body)}`)
      }
      const refusals = (await owner('GET', `/admin/audit?action=access.refuse&actor=user:${member.id}`)).body.items
      assert.equal(refusals.length, 5)
    })

    test('a member sees own keys and usage, a manager those of the project, an auditor all usage and no key', async () => {
      const manager = await signedIn(site.here, 'max@example.com')
      const member = await signedIn(site.here, 'mia@example.com')
      const auditor = await invited(owner, site.here, { email: 'audit@example.com', role: 'auditor' })
      const keys = {
        mine: (await member('POST', '/admin/keys', { name: 'mine' })).body,
        ofManager: (await manager('POST', '/admin/keys', { name: 'of the project', project: 'research' })).body,
        elsewhere: (await owner('POST', '/admin/keys', { name: 'elsewhere', project: 'search' })).body,
      }
      for (const { key } of Object.values(keys)) {
        const body = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hi' }] })
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        assert.equal(
          (await fetch(`${site.here.url}/v3/chat/completions`, { method: 'POST', headers, body })).status,
          200,
        )
      }
      const usageOf = async (client: Client) => {
        const { items, total } = (await client('GET', '/admin/usage?group_by=key')).body
        const ids = items.map(({ group }: { group: string }) => group)
        assert.equal(
          total.requests,
          items.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0),
        )
        return Object.values(keys).map(({ id }) => ids.includes(id))
      }
      const keysOf = async (client: Client) => {
        const ids = (await client('GET', '/admin/keys')).body.items.map(({ id }: { id: string }) => id)
        return Object.values(keys).map(({ id }) => ids.includes(id))
      }
      assert.deepEqual(
        [await usageOf(member), await keysOf(member)],
        [
          [true, false, false],
          [true, false, false],
        ],
      )
      assert.deepEqual(
        [await usageOf(manager), await keysOf(manager)],
        [
          [true, true, false],
          [true, true, false],
        ],
      )
      assert.deepEqual(await usageOf(auditor), [true, true, true])
      assert.deepEqual(await usageOf(owner), [true, true, true])
      for (const { id } of [keys.ofManager, keys.elsewhere])
        for (const [method, path] of [
          ['GET', ''],
          ['DELETE', ''],
          ['PATCH', ''],
          ['POST', '/rotate'],
        ] as const) {
          const body = method === 'PATCH' ? { name: 'x' } : method === 'POST' ? {} : undefined
          assert.equal((await member(method, `/admin/keys/${id}${path}`, body)).status, 404, `${method} ${path}`)
        }
      assert.equal((await member('PATCH', `/admin/keys/${keys.mine.id}`, { policy: {} })).status, 403)
      assert.equal((await member('PATCH', `/admin/keys/${keys.mine.id}`, { name: 'mine now' })).status, 200)
      assert.equal((await member('DELETE', `/admin/keys/${keys.mine.id}`)).status, 204)
      const outside = (await owner('GET', '/admin/users?kind=person')).body.items.find(
        ({ email }: { email: string }) => email === 'owner@example.com',
      )
      const list = (await manager('GET', '/admin/users')).body.items
      assert.ok(!list.some(({ id }: { id: string }) => id === outside.id), 'a manager sees the members of the project')
      assert.equal((await manager('GET', `/admin/users/${outside.id}`)).status, 404)
    })

    test('a new password needs the old one, and ends every other session', async () => {
      const ann = await signedIn(site.here, 'ann@example.com')
      const other = await signedIn(site.there, 'ann@example.com')
      const password = 'another long password'
      assert.equal((await ann('PATCH', '/admin/me', { password })).status, 422)
      assert.equal((await ann('PATCH', '/admin/me', { password, current_password: 'wrong' })).status, 422)
      const changed = await ann('PATCH', '/admin/me', { password, current_password: PASSWORD })
      assert.equal(changed.status, 200)
      for (const old of [ann, other]) assert.equal((await old('GET', '/admin/me')).status, 401)
      assert.equal((await clientOf(site.there, { cookie: cookieIn(changed) })('GET', '/admin/me')).status, 200)
      await signedIn(site.there, 'ann@example.com', password)
    })

    test('every change is in the audit log, with who did it, and without secrets', async () => {
      const made = await owner('POST', '/admin/keys', { name: 'audited', project: 'research' })
      const { id, key } = made.body
      await owner('PATCH', `/admin/keys/${id}`, { name: 'audited twice' })
      await operator(site.there)('DELETE', `/admin/keys/${id}`)
      const { items } = (await owner('GET', `/admin/audit?object=key:${id}`)).body
      const me = (await owner('GET', '/admin/me')).body
      assert.deepEqual(
        items.map(({ actor, via, action, before, after }: Record<string, unknown>) => [
          actor,
          via,
          action,
          before,
          after,
        ]),
        [
          ['admin_key', 'admin_key', 'key.revoke', null, null],
          [`user:${me.id}`, 'session', 'key.update', { name: 'audited' }, { name: 'audited twice' }],
          [`user:${me.id}`, 'session', 'key.create', null, items[2].after],
        ],
      )
      assert.equal(items[2].after.name, 'audited')
      assert.deepEqual([items[2].ip, items[2].request], ['127.0.0.1', made.headers.get('x-request-id')])
      const whole = await owner('GET', '/admin/audit?format=jsonl')
      assert.equal(whole.headers.get('content-type'), 'application/jsonl; charset=utf-8')
      const rows = whole.body
        .trim()
        .split('\n')
        .map((line: string) => JSON.parse(line))
      assert.deepEqual(
        rows.map(({ seq }: { seq: number }) => seq),
        rows.map((_: unknown, index: number) => index + 1),
      )
      for (const action of [
        'sign_in.succeed',
        'sign_in.fail',
        'access.refuse',
        'audit.read',
        'audit.export',
        'user.password',
      ])
        assert.ok(
          rows.some((row: { action: string }) => row.action === action),
          action,
        )
      for (const secret of [key, PASSWORD, 'argon2id']) assert.ok(!whole.body.includes(secret))
    })
  })
}
