import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { countForAccount, countForAddress } from '../../../src/tenants/sign-in/attempts.ts'
import { authorOf, CLI_ACTOR } from '../../../src/tenants/people/actor.ts'
import { resetPassword } from '../../../src/tenants/sign-in/manage-passwords.ts'
import { newSetupToken } from '../../../src/tenants/sign-in/setup.ts'
import { memberInsertion } from '../../../src/platform/store/people/members.ts'
import { userInsertion } from '../../../src/platform/store/people/users.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { API_KEY, type GatewayUnderTest } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, cookieIn, PASSWORD, signedIn } from '../../gateway/people-under-test.ts'
import { TwoGateways } from './two-gateways.ts'
import { HOUR_MS } from '../../../src/base/units/units.ts'

// The first owner, sessions, tokens of service accounts and attempts to sign in, with two processes on one store.

for (const { name, skip, newStore } of await storeKinds()) {
  describe(`sessions on ${name}`, { skip }, () => {
    const site = new TwoGateways(newStore, { env: { TRUSTED_PROXIES: '127.0.0.1/32' } })
    let owner: Client

    test('the first owner comes through a link that works once, for an hour, and only without another owner', async () => {
      const { db } = site.here.gateway.services.calls
      const early = await newSetupToken(site.here.gateway.services.tenants)
      // A person who came in through a provider, and is no owner.
      await db.transaction([
        userInsertion({
          id: 'm',
          organization: 'default',
          email: 'm@example.com',
          name: 'M',
          kind: 'person',
          password: null,
          issuer: 'i',
          subject: 's',
        }),
        memberInsertion({
          id: 'm',
          organization: 'default',
          project: null,
          userId: 'm',
          role: 'member',
          source: 'sso',
        }),
      ])
      const asked = { token: early, name: 'M', password: PASSWORD }
      const taken = await clientOf(site.there)('POST', '/admin/setup', { ...asked, email: 'm@example.com' })
      assert.deepEqual([taken.status, /Choose another address/.test(taken.body.error.message)], [409, true])
      const body = { email: 'Owner@Example.com', name: 'Olga', password: PASSWORD }
      const setup = (token: string | undefined) => clientOf(site.there)('POST', '/admin/setup', { ...body, token })
      const late = await newSetupToken(site.here.gateway.services.tenants)
      site.jumpMs = HOUR_MS + 1
      assert.equal((await setup(late)).status, 409)
      assert.equal((await setup('wrong')).status, 409)
      const [one, two] = [
        await newSetupToken(site.here.gateway.services.tenants),
        await newSetupToken(site.here.gateway.services.tenants),
      ]
      const both = await Promise.all([setup(one), setup(two)])
      assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409])
      assert.equal((await setup(one)).status, 409)
      assert.equal(await newSetupToken(site.here.gateway.services.tenants), undefined)
      owner = await signedIn(site.here, 'OWNER@example.com ')
      const me = await owner('GET', '/admin/me')
      assert.deepEqual(me.body.memberships, [{ organization: 'default', project: null, role: 'owner' }])
      for (const token of [one!, two!, late!]) assert.ok(!(site.here.logs() + site.there.logs()).includes(token))
    })

    test('an address belongs to one account: using it for another account is refused', async () => {
      const person = { kind: 'person', name: 'x', role: 'member' }
      const { id } = (await owner('POST', '/admin/users', { ...person, email: 'one@example.com' })).body
      assert.equal((await owner('POST', '/admin/users', { ...person, email: 'two@example.com' })).status, 201)
      assert.equal((await owner('PATCH', `/admin/users/${id}`, { email: 'Two@example.com' })).status, 409)
      assert.equal((await owner('PATCH', `/admin/users/${id}`, { email: 'three@example.com' })).status, 200)
      assert.equal((await owner('GET', `/admin/users/${id}`)).body.email, 'three@example.com')
    })

    test('a sign-in sets a cookie that scripts and other sites cannot use, with a new token each time', async () => {
      const planted = { cookie: 'gatehouse=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }
      const answer = await clientOf(site.here, planted)('POST', '/admin/sessions', {
        email: 'owner@example.com',
        password: PASSWORD,
      })
      const cookie = answer.headers.get('set-cookie')!
      assert.match(cookie, /^gatehouse=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/)
      assert.notEqual(cookieIn(answer), planted.cookie)
      assert.equal((await clientOf(site.here, planted)('GET', '/admin/me')).status, 401)
      assert.equal((await clientOf(site.here, { cookie: cookieIn(answer) })('GET', '/admin/me')).status, 200)
      const two = { cookie: `${cookieIn(answer)}; ${planted.cookie}` }
      assert.equal((await clientOf(site.here, two)('GET', '/admin/me')).status, 401, 'which of two cookies is ours?')
    })

    test('a session that ends in one process has ended in the other', async () => {
      const mine = await signedIn(site.here, 'owner@example.com')
      const id = (await mine('GET', '/admin/me')).body.session
      const elsewhere = (path: string, method = 'GET') => mine(method, path)
      const cookie = await sessionCookie()
      const inThere = clientOf(site.there, { cookie })
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
      const answer = await clientOf(site.here)('POST', '/admin/sessions', {
        email: 'owner@example.com',
        password: PASSWORD,
      })
      return cookieIn(answer)
    }

    test('a session ends after 12 hours without a request, and after 7 days in any case', async () => {
      const idle = await signedIn(site.here, 'owner@example.com')
      const used = await signedIn(site.here, 'owner@example.com')
      const begin = site.jumpMs
      for (let hours = 11; hours < 7 * 24; hours += 11) {
        site.jumpMs = begin + hours * HOUR_MS
        assert.equal((await used('GET', '/admin/me')).status, 200, `after ${hours} hours`)
        if (hours > 12) assert.equal((await idle('GET', '/admin/me')).status, 401)
      }
      site.jumpMs = begin + 7 * 24 * HOUR_MS + 1
      assert.equal((await used('GET', '/admin/me')).status, 401)
      owner = await signedIn(site.here, 'owner@example.com')
    })

    test('a session is no API key, and an API key opens nothing of the admin listener', async () => {
      const cookie = await sessionCookie()
      const token = cookie.slice('gatehouse='.length)
      const both: Record<string, string>[] = [{ cookie }, { authorization: `Bearer ${token}` }]
      for (const headers of both) assert.equal((await fetch(`${site.here.url}/v3/models`, { headers })).status, 401)
      assert.equal((await clientOf(site.here, { authorization: `Bearer ${token}` })('GET', '/admin/me')).status, 401)
      assert.equal((await clientOf(site.here, { authorization: `Bearer ${API_KEY}` })('GET', '/admin/me')).status, 401)
      const keyAndCookie = { cookie, authorization: `Bearer ${API_KEY}` }
      assert.equal((await clientOf(site.here, keyAndCookie)('GET', '/admin/me')).status, 401)
    })

    test('pages of other sites can do nothing with the cookie of a session', async () => {
      const cookie = await sessionCookie()
      const own = clientOf(site.here, { cookie })
      const body = { name: 'made by another site' }
      const refused: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { host: 'evil.example' },
      ]
      for (const headers of refused) {
        const status = await rawStatus(site.here, { cookie, ...headers }, 'POST', '/admin/keys', JSON.stringify(body))
        assert.equal(status, 403, JSON.stringify(headers))
      }
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const answer = await own('POST', '/admin/config/reload', undefined, { 'content-type': type })
        assert.equal(answer.status, 415, type)
      }
      assert.equal((await own('POST', '/admin/keys', body, { origin: site.here.adminUrl })).status, 201)
      assert.equal((await own('POST', '/admin/keys', body)).headers.get('access-control-allow-origin'), null)
      const preflight = await own('OPTIONS', '/admin/keys', undefined, {
        origin: site.here.adminUrl,
        'access-control-request-method': 'POST',
      })
      assert.equal(preflight.headers.get('access-control-allow-origin'), null)
    })

    test('a service account has tokens with its role, until they expire or are revoked, and cannot sign in', async () => {
      const account = await owner('POST', '/admin/users', { name: 'deployer', role: 'auditor' })
      const path = `/admin/users/${account.body.id}/tokens`
      const soon = new Date(Date.now() + site.jumpMs + HOUR_MS).toISOString()
      const made = await owner('POST', path, { name: 'ci', expires_at: soon })
      assert.match(made.body.token, /^gate_token_[\w-]{43}$/)
      const robot = clientOf(site.there, { authorization: `Bearer ${made.body.token}` })
      assert.equal((await robot('GET', '/admin/me')).body.kind, 'service')
      assert.equal((await robot('GET', '/admin/audit')).status, 200)
      assert.equal((await robot('GET', '/admin/keys')).status, 403)
      const onApi = await fetch(`${site.here.url}/v3/models`, {
        headers: { authorization: `Bearer ${made.body.token}` },
      })
      assert.equal(onApi.status, 401)
      const { items } = (await owner('GET', path)).body
      assert.deepEqual(
        items.map(({ name, last4, token }: Record<string, string>) => [name, last4, token]),
        [['ci', made.body.token.slice(-4), undefined]],
      )
      site.jumpMs += HOUR_MS
      assert.equal((await robot('GET', '/admin/me')).status, 401, 'it has expired')
      const next = (await owner('POST', path, { name: 'ci' })).body
      const robotAgain = clientOf(site.there, { authorization: `Bearer ${next.token}` })
      assert.equal((await robotAgain('GET', '/admin/me')).status, 200)
      assert.equal((await owner('DELETE', `${path}/${next.id}`)).status, 204)
      assert.equal((await robotAgain('GET', '/admin/me')).status, 401)
      const person = await owner('POST', `/admin/users/${(await owner('GET', '/admin/me')).body.id}/tokens`, {
        name: 'x',
      })
      assert.equal(person.status, 409)
    })

    test('too many attempts to sign in are refused in all processes, for the account and for the address', async () => {
      const { db } = site.here.gateway.services.calls
      for (let count = 0; count < 8; count++)
        await countForAccount(db, { email: 'unknown@example.com', ip: '10.0.0.1' })
      const statuses = []
      for (const gateway of [site.here, site.there, site.here, site.there])
        statuses.push((await attempt(gateway, 'unknown@example.com')).status)
      assert.deepEqual(statuses, [401, 401, 429, 429])
      for (let count = 0; count < 27; count++) await countForAddress(db, '10.0.0.3')
      const others = []
      for (let count = 0; count < 5; count++)
        others.push((await attempt(site.there, `${count}@example.com`, { from: '10.0.0.3' })).status)
      assert.deepEqual([others.includes(401), others.at(-1)], [true, 429], 'one address cannot try many accounts')
      assert.equal(
        (await attempt(site.there, '9@example.com', { from: '10.0.0.2' })).status,
        401,
        'another address can',
      )
    })

    test('an attacker who tries passwords at one address locks no person out at another', async () => {
      const email = 'owner@example.com'
      const { db } = site.here.gateway.services.calls
      for (let count = 0; count < 10; count++) await countForAccount(db, { email, ip: '10.1.0.1' })
      assert.equal((await attempt(site.here, email, { from: '10.1.0.1', password: PASSWORD })).status, 429)
      assert.equal((await attempt(site.there, email, { from: '10.1.0.2', password: PASSWORD })).status, 201)
    })

    test('guessing from many addresses is bounded, and the person comes in where they have been before', async () => {
      const email = 'owner@example.com'
      const { db } = site.here.gateway.services.calls
      assert.equal((await attempt(site.here, email, { from: '10.2.0.1', password: PASSWORD })).status, 201)
      const tried: boolean[] = []
      for (let count = 0; count < 120; count++)
        tried.push(
          await countForAccount(db, { email, ip: `10.3.0.${count}` }).then(
            () => true,
            () => false,
          ),
        )
      assert.ok(tried.slice(0, 60).every(Boolean) && !tried.at(-1), 'many addresses together have one limit')
      const comeIn = async (from: string, password = PASSWORD) =>
        (await attempt(site.there, email, { from, password })).status
      assert.deepEqual([await comeIn('10.2.0.2'), await comeIn('10.2.0.1')], [429, 201])
      // The pass is by the clock of the store.
      site.jumpMs = 0
      const { tenants } = site.here.gateway.services
      const machine = { ...tenants, actor: CLI_ACTOR, author: authorOf(CLI_ACTOR) }
      await resetPassword(email, 'another password of hers', machine)
      for (let count = 0; count < 120; count++)
        await countForAccount(db, { email, ip: `10.4.0.${count}` }).catch(() => undefined)
      assert.equal(
        await comeIn('10.2.0.2', 'another password of hers'),
        201,
        'a password of the machine itself is the way back in',
      )
    })

    function attempt(gateway: GatewayUnderTest, email: string, { from = '10.0.0.1', password = 'wrong' } = {}) {
      return clientOf(gateway, { 'x-forwarded-for': from })('POST', '/admin/sessions', { email, password })
    }
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
