import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { countForAccount, countForAddress } from '../../src/sign-in/attempts.ts'
import { newSetupToken } from '../../src/sign-in/setup.ts'
import { storeKinds } from '../fakes/stores.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'
import { type Client, clientOf, cookieIn, invited, operator, PASSWORD, signedIn } from './people-under-test.ts'

// People on the admin listener, with two processes on one store.

const HOUR_MS = 3_600_000

for (const { name, skip, newStore } of await storeKinds()) {
  describe(`people on ${name}`, { skip }, () => {
    let here: GatewayUnderTest
    let there: GatewayUnderTest
    let owner: Client
    let jumpMs = 0
    const closing = new AsyncDisposableStack()

    before(async () => {
      const store = await newStore()
      const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-people-'))
      const env: Record<string, string> = { TRUSTED_PROXIES: '127.0.0.1/32' }
      if (store.databaseUrl) env.DATABASE_URL = store.databaseUrl
      const overrides = { now: () => Date.now() + jumpMs }
      here = await startGateway({ env, dataDir, overrides })
      there = await startGateway({ env, dataDir, overrides })
      closing.defer(() => store.remove())
      closing.defer(() => rm(dataDir, { recursive: true }))
      closing.defer(() => here.close())
      closing.defer(() => there.close())
      await operator(here)('POST', '/admin/keys', { name: 'x', owner: 'research' })
      await operator(here)('POST', '/admin/keys', { name: 'x', owner: 'search' })
    })
    after(() => closing.disposeAsync())

    test('the first owner comes through a link that works once, for an hour, and only without another person', async () => {
      const body = { email: 'Owner@Example.com', name: 'Olga', password: PASSWORD }
      const setup = (token: string | undefined) => clientOf(there)('POST', '/admin/setup', { ...body, token })
      const late = await newSetupToken(here.gateway.context)
      jumpMs = HOUR_MS + 1
      assert.equal((await setup(late)).status, 409)
      assert.equal((await setup('wrong')).status, 409)
      const [one, two] = [await newSetupToken(here.gateway.context), await newSetupToken(here.gateway.context)]
      const both = await Promise.all([setup(one), setup(two)])
      assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409])
      assert.equal((await setup(one)).status, 409)
      assert.equal(await newSetupToken(here.gateway.context), undefined)
      owner = await signedIn(here, 'OWNER@example.com ')
      const me = await owner('GET', '/admin/me')
      assert.deepEqual(me.body.memberships, [{ organization: 'default', project: null, role: 'owner' }])
      for (const token of [one!, two!, late!]) assert.ok(!(here.logs() + there.logs()).includes(token))
    })

    test('a sign-in sets a cookie that scripts and other sites cannot use, with a new token each time', async () => {
      const planted = { cookie: 'gatehouse=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }
      const answer = await clientOf(here, planted)('POST', '/admin/sessions', {
        email: 'owner@example.com',
        password: PASSWORD,
      })
      const cookie = answer.headers.get('set-cookie')!
      assert.match(cookie, /^gatehouse=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/)
      assert.notEqual(cookieIn(answer), planted.cookie)
      assert.equal((await clientOf(here, planted)('GET', '/admin/me')).status, 401)
      assert.equal((await clientOf(here, { cookie: cookieIn(answer) })('GET', '/admin/me')).status, 200)
      const two = { cookie: `${cookieIn(answer)}; ${planted.cookie}` }
      assert.equal((await clientOf(here, two)('GET', '/admin/me')).status, 401, 'which of two cookies is ours?')
    })

    test('a session that ends in one process has ended in the other', async () => {
      const mine = await signedIn(here, 'owner@example.com')
      const id = (await mine('GET', '/admin/me')).body.session
      const elsewhere = (path: string, method = 'GET') => mine(method, path)
      const cookie = await sessionCookie()
      const inThere = clientOf(there, { cookie })
      assert.equal((await inThere('GET', '/admin/me')).status, 200)
      const sessions = (await inThere('GET', '/admin/sessions')).body.items as { id: string; current: boolean }[]
      assert.equal(sessions.filter(({ current }) => current).length, 1)
      assert.equal(
        (await elsewhere(`/admin/sessions/${sessions.find(({ current }) => current)!.id}`, 'DELETE')).status,
        204,
      )
      assert.equal((await inThere('GET', '/admin/me')).status, 401)
      assert.equal((await mine('DELETE', `/admin/sessions/${id}`)).status, 204)
      assert.equal((await mine('GET', '/admin/me')).status, 401)
    })

    async function sessionCookie(): Promise<string> {
      const answer = await clientOf(here)('POST', '/admin/sessions', { email: 'owner@example.com', password: PASSWORD })
      return cookieIn(answer)
    }

    test('a session ends after 12 hours without a request, and after 7 days in any case', async () => {
      const idle = await signedIn(here, 'owner@example.com')
      const used = await signedIn(here, 'owner@example.com')
      const begin = jumpMs
      for (let hours = 11; hours < 7 * 24; hours += 11) {
        jumpMs = begin + hours * HOUR_MS
        assert.equal((await used('GET', '/admin/me')).status, 200, `after ${hours} hours`)
        if (hours > 12) assert.equal((await idle('GET', '/admin/me')).status, 401)
      }
      jumpMs = begin + 7 * 24 * HOUR_MS + 1
      assert.equal((await used('GET', '/admin/me')).status, 401)
      owner = await signedIn(here, 'owner@example.com')
    })

    test('a session is no API key, and an API key opens nothing of the admin listener', async () => {
      const cookie = await sessionCookie()
      const token = cookie.slice('gatehouse='.length)
      const both: Record<string, string>[] = [{ cookie }, { authorization: `Bearer ${token}` }]
      for (const headers of both) assert.equal((await fetch(`${here.url}/v3/models`, { headers })).status, 401)
      assert.equal((await clientOf(here, { authorization: `Bearer ${token}` })('GET', '/admin/me')).status, 401)
      assert.equal((await clientOf(here, { authorization: `Bearer ${API_KEY}` })('GET', '/admin/me')).status, 401)
      const keyAndCookie = { cookie, authorization: `Bearer ${API_KEY}` }
      assert.equal((await clientOf(here, keyAndCookie)('GET', '/admin/me')).status, 401)
    })

    test('pages of other sites can do nothing with the cookie of a session', async () => {
      const cookie = await sessionCookie()
      const own = clientOf(here, { cookie })
      const body = { name: 'made by another site' }
      const refused: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { host: 'evil.example' },
      ]
      for (const headers of refused) {
        const status = await rawStatus(here, { cookie, ...headers }, 'POST', '/admin/keys', JSON.stringify(body))
        assert.equal(status, 403, JSON.stringify(headers))
      }
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const answer = await own('POST', '/admin/config/reload', undefined, { 'content-type': type })
        assert.equal(answer.status, 415, type)
      }
      assert.equal((await own('POST', '/admin/keys', body, { origin: here.adminUrl })).status, 201)
      assert.equal((await own('POST', '/admin/keys', body)).headers.get('access-control-allow-origin'), null)
      const preflight = await own('OPTIONS', '/admin/keys', undefined, {
        origin: here.adminUrl,
        'access-control-request-method': 'POST',
      })
      assert.equal(preflight.headers.get('access-control-allow-origin'), null)
    })

    test('an invitation is for one person, once, and ends with the rights of whoever made it', async () => {
      const made = await owner('POST', '/admin/invitations', {
        email: 'ann@example.com',
        role: 'manager',
        project: 'research',
      })
      assert.match(made.body.url, /^http:\/\/127\.0\.0\.1:\d+\/setup#invitation=[\w-]{43}$/)
      const accept = (token: string, more: object = {}) =>
        clientOf(there)('POST', '/admin/invitations/accept', { token, name: 'Ann', password: PASSWORD, ...more })
      const both = await Promise.all([accept(made.body.token), accept(made.body.token)])
      assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409])
      assert.equal((await accept(made.body.token)).status, 409)
      const ann = await signedIn(there, 'ann@example.com')
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
      assert.ok(!(here.logs() + there.logs()).includes(made.body.token))
    })

    test('whoever makes an invitation cannot get into the account of the invited person with it', async () => {
      const made = await owner('POST', '/admin/invitations', {
        email: 'ann@example.com',
        role: 'member',
        project: 'search',
      })
      const body = { token: made.body.token, name: 'Not Ann', password: 'another long password' }
      assert.equal((await clientOf(here)('POST', '/admin/invitations/accept', body)).status, 409)
      assert.equal((await owner('POST', '/admin/invitations/accept', body)).status, 409)
      const ann = await signedIn(here, 'ann@example.com')
      assert.equal((await ann('POST', '/admin/invitations/accept', { token: made.body.token })).status, 201)
      assert.equal((await ann('GET', '/admin/me')).status, 401, 'the rights have changed, so the old session has ended')
      const again = await signedIn(here, 'ann@example.com')
      assert.equal((await again('GET', '/admin/me')).body.memberships[0].project, 'search')
    })

    test('the keys of a person end with the membership, in all processes', async () => {
      const bob = await invited(owner, here, { email: 'bob@example.com', role: 'member', project: 'research' })
      const made = await bob('POST', '/admin/keys', { name: 'mine' })
      assert.deepEqual([made.body.project, made.body.user], ['research', bob.id])
      const ofProject = (await owner('POST', '/admin/keys', { name: 'of the project', project: 'research' })).body.key
      const status = async (gateway: GatewayUnderTest, key: string) =>
        (await fetch(`${gateway.url}/v3/models`, { headers: { authorization: `Bearer ${key}` } })).status
      for (const gateway of [here, there]) assert.equal(await status(gateway, made.body.key), 200)
      const [member] = (await owner('GET', `/admin/members?user=${bob.id}`)).body.items
      assert.equal((await owner('DELETE', `/admin/members/${member.id}`)).status, 204)
      await there.gateway.context.keyCache.refresh()
      for (const gateway of [here, there])
        assert.deepEqual([await status(gateway, made.body.key), await status(gateway, ofProject)], [401, 200])
    })

    test('a disabled user can do nothing, and the last owner cannot be disabled, deleted, demoted or removed', async () => {
      const eve = await invited(owner, here, { email: 'eve@example.com', role: 'owner' })
      const { id } = (await owner('GET', '/admin/me')).body
      const key = (await owner('POST', '/admin/keys', { name: 'of eve', user: eve.id })).body.key
      assert.equal((await owner('PATCH', `/admin/users/${eve.id}`, { disabled: true })).status, 200)
      assert.equal((await eve('GET', '/admin/me')).status, 401)
      const signIn = await clientOf(there)('POST', '/admin/sessions', { email: 'eve@example.com', password: PASSWORD })
      assert.equal(signIn.status, 401)
      const models = await fetch(`${here.url}/v3/models`, { headers: { authorization: `Bearer ${key}` } })
      assert.equal(models.status, 401)
      const [own] = (await owner('GET', `/admin/members?user=${id}`)).body.items
      const admin = operator(here)
      for (const last of [
        await admin('PATCH', `/admin/users/${id}`, { disabled: true }),
        await admin('DELETE', `/admin/users/${id}`),
        await admin('PATCH', `/admin/members/${own.id}`, { role: 'admin' }),
        await admin('DELETE', `/admin/members/${own.id}`),
      ])
        assert.deepEqual([last.status, last.body.error?.code], [409, 'conflict'])
      assert.equal((await owner('PATCH', `/admin/users/${eve.id}`, { disabled: false })).status, 200)
      const removals = await Promise.all([
        operator(here)('DELETE', `/admin/users/${eve.id}`),
        operator(there)('PATCH', `/admin/users/${id}`, { disabled: true }),
      ])
      assert.deepEqual(removals.map(({ status }) => status >= 400).sort(), [false, true], 'of two at once, one remains')
      await operator(there)('PATCH', `/admin/users/${id}`, { disabled: false })
      owner = await signedIn(here, 'owner@example.com')
    })

    test('nobody gets more rights through a field that a request may not have, or gives a role above their own', async () => {
      const admin = await invited(owner, here, { email: 'admin@example.com', role: 'admin' })
      const manager = await invited(owner, here, { email: 'max@example.com', role: 'manager', project: 'research' })
      const member = await invited(manager, here, { email: 'mia@example.com', role: 'member', project: 'research' })
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
      const manager = await signedIn(here, 'max@example.com')
      const member = await signedIn(here, 'mia@example.com')
      const auditor = await invited(owner, here, { email: 'audit@example.com', role: 'auditor' })
      const keys = {
        mine: (await member('POST', '/admin/keys', { name: 'mine' })).body,
        ofManager: (await manager('POST', '/admin/keys', { name: 'of the project', project: 'research' })).body,
        elsewhere: (await owner('POST', '/admin/keys', { name: 'elsewhere', project: 'search' })).body,
      }
      for (const { key } of Object.values(keys)) {
        const body = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hi' }] })
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        assert.equal((await fetch(`${here.url}/v3/chat/completions`, { method: 'POST', headers, body })).status, 200)
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

    test('a service account has tokens with its role, until they expire or are revoked, and cannot sign in', async () => {
      const account = await owner('POST', '/admin/users', { name: 'deployer', role: 'auditor' })
      const path = `/admin/users/${account.body.id}/tokens`
      const soon = new Date(Date.now() + jumpMs + HOUR_MS).toISOString()
      const made = await owner('POST', path, { name: 'ci', expires_at: soon })
      assert.match(made.body.token, /^gate_token_[\w-]{43}$/)
      const robot = clientOf(there, { authorization: `Bearer ${made.body.token}` })
      assert.equal((await robot('GET', '/admin/me')).body.kind, 'service')
      assert.equal((await robot('GET', '/admin/audit')).status, 200)
      assert.equal((await robot('GET', '/admin/keys')).status, 403)
      const onApi = await fetch(`${here.url}/v3/models`, { headers: { authorization: `Bearer ${made.body.token}` } })
      assert.equal(onApi.status, 401)
      const { items } = (await owner('GET', path)).body
      assert.deepEqual(
        items.map(({ name, last4, token }: Record<string, string>) => [name, last4, token]),
        [['ci', made.body.token.slice(-4), undefined]],
      )
      jumpMs += HOUR_MS
      assert.equal((await robot('GET', '/admin/me')).status, 401, 'it has expired')
      const next = (await owner('POST', path, { name: 'ci' })).body
      const robotAgain = clientOf(there, { authorization: `Bearer ${next.token}` })
      assert.equal((await robotAgain('GET', '/admin/me')).status, 200)
      assert.equal((await owner('DELETE', `${path}/${next.id}`)).status, 204)
      assert.equal((await robotAgain('GET', '/admin/me')).status, 401)
      const person = await owner('POST', `/admin/users/${(await owner('GET', '/admin/me')).body.id}/tokens`, {
        name: 'x',
      })
      assert.equal(person.status, 409)
    })

    test('a new password needs the old one, and ends every other session', async () => {
      const ann = await signedIn(here, 'ann@example.com')
      const other = await signedIn(there, 'ann@example.com')
      const password = 'another long password'
      assert.equal((await ann('PATCH', '/admin/me', { password })).status, 422)
      assert.equal((await ann('PATCH', '/admin/me', { password, current_password: 'wrong' })).status, 422)
      const changed = await ann('PATCH', '/admin/me', { password, current_password: PASSWORD })
      assert.equal(changed.status, 200)
      for (const old of [ann, other]) assert.equal((await old('GET', '/admin/me')).status, 401)
      assert.equal((await clientOf(there, { cookie: cookieIn(changed) })('GET', '/admin/me')).status, 200)
      await signedIn(there, 'ann@example.com', password)
    })

    test('every change is in the audit log, with who did it, and without secrets', async () => {
      const made = await owner('POST', '/admin/keys', { name: 'audited', project: 'research' })
      const { id, key } = made.body
      await owner('PATCH', `/admin/keys/${id}`, { name: 'audited twice' })
      await operator(there)('DELETE', `/admin/keys/${id}`)
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

    test('too many attempts to sign in are refused in all processes, for the account and for the address', async () => {
      const attempt = (gateway: GatewayUnderTest, email: string, from = '10.0.0.1') =>
        clientOf(gateway, { 'x-forwarded-for': from })('POST', '/admin/sessions', { email, password: 'wrong' })
      const { db } = here.gateway.context
      for (let count = 0; count < 8; count++) await countForAccount(db, 'nobody@example.com')
      const statuses = []
      for (const gateway of [here, there, here, there])
        statuses.push((await attempt(gateway, 'nobody@example.com')).status)
      assert.deepEqual(statuses, [401, 401, 429, 429])
      const refused = await attempt(here, 'nobody@example.com', '10.0.0.2')
      assert.ok(Number(refused.headers.get('retry-after')) > 0, 'the account is refused from everywhere')
      for (let count = 0; count < 27; count++) await countForAddress(db, '10.0.0.3')
      const others = []
      for (let count = 0; count < 5; count++)
        others.push((await attempt(there, `${count}@example.com`, '10.0.0.3')).status)
      assert.deepEqual([others.includes(401), others.at(-1)], [true, 429], 'one address cannot try many accounts')
      assert.equal((await attempt(there, '9@example.com', '10.0.0.2')).status, 401, 'another address can')
    })
  })
}

/** fetch does not send a Host of its own. */
async function rawStatus(
  { adminUrl }: GatewayUnderTest,
  headers: Record<string, string>,
  method: string,
  path: string,
  body: string,
): Promise<number> {
  const { request } = await import('node:http')
  return await new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', ...headers }
    request(adminUrl + path, { method, headers: all }, (answer) => {
      answer.resume()
      resolve(answer.statusCode!)
    })
      .on('error', reject)
      .end(body)
  })
}
