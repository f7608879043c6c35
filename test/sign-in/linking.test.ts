import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { signedBy, usualKey } from '../../src/tenants/jwt/fixtures/fake-issuer.ts'
import { type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { type Client, clientOf, cookieIn, firstOwner, operator, PASSWORD } from '../gateway/people-under-test.ts'
import { storeKinds } from '../fakes/stores.ts'
import { someOf } from '../soak/sample.ts'
import { Browser } from './browser.ts'
import { type LyingProvider, startLyingProvider } from './lying-provider.ts'

// Which provider can open which account that exists already, by what it says about an e-mail address.

const KEY = usualKey()
const OWNER = 'owner@example.com'

for (const [turn, { name, skip, newStore }] of (await storeKinds()).entries())
  describe(`accounts and identities, on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let providers: Record<string, LyingProvider>
    let owner: Client
    let admin: Client
    const closing = new AsyncDisposableStack()

    before(async () => {
      const store = await newStore()
      const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-linking-'))
      const file = join(dataDir, 'config.json')
      const rules: Record<string, object> = {
        members: { default: { role: 'member' } },
        managers: { groups: { 'lead-*': { role: 'manager', project: 'team-$1' } } },
        owners: { groups: { owners: 'owner' }, default: { role: 'member' } },
      }
      const entries = Object.entries(rules).map(async ([one, rule]) => {
        const provider = await startLyingProvider([KEY])
        closing.defer(() => provider.close())
        return [one, { provider, entry: { name: one, issuer: provider.url, clientId: 'gatehouse', ...rule } }] as const
      })
      const started = await Promise.all(entries)
      providers = Object.fromEntries(started.map(([one, { provider }]) => [one, provider]))
      await writeFile(file, JSON.stringify({ auth: { oidc: started.map(([, { entry }]) => entry) } }))
      const env = { GATEHOUSE_CONFIG: file, ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }) }
      closing.defer(() => store.remove())
      closing.defer(() => rm(dataDir, { recursive: true }))
      gateway = await startGateway({ env, dataDir })
      closing.defer(() => gateway.close())
      admin = operator(gateway)
      owner = await firstOwner(gateway, OWNER)
      for (const id of ['team-a', 'other']) await admin('POST', '/admin/projects', { name: id, id })
    })
    after(() => closing.disposeAsync())

    test('a provider that may only make members does not open the account of an owner', async () => {
      assert.equal((await comeIn('members', { sub: 'thief', email: OWNER })).status, 403)
      assert.equal((await comeIn('managers', { sub: 'thief', email: OWNER })).status, 403)
      const [account] = await rowOf(OWNER)
      assert.equal(account!.subject, null)
      assert.equal((await owner('GET', '/admin/me')).status, 200, 'sessions go on')
      const { items } = (await admin('GET', '/admin/identity-links')).body
      assert.equal(items.length, 2, 'they wait for an admin')
    })

    const ROLES: [role: string, project: string | null, opens: string[]][] = [
      ['owner', null, ['owners']],
      ['admin', null, ['owners']],
      ['auditor', null, ['owners']],
      ['billing', null, ['owners']],
      ['member', null, ['members', 'owners']],
      ['manager', 'team-a', ['managers', 'owners']],
      ['member', 'team-a', ['managers', 'members', 'owners']],
      ['manager', 'other', ['owners']],
    ]
    // Each of them is tried on one store, on all stores under `npm run soak`.
    const TRIES = ['members', 'managers', 'owners'].flatMap((provider) => [
      { provider, kind: 'account' },
      { provider, kind: 'invitation' },
    ])
    for (const [index, [role, project, opens]] of ROLES.entries())
      test(`only ${opens.join(' and ')} open the account and the invitation of ${role} on ${project ?? 'the organization'}`, async () => {
        for (const { provider, kind } of someOf(TRIES, turn + index, TRIES.length / 2)) {
          const place = { role, ...(project && { project }) }
          const email = `${kind}-${index}-${provider}@example.com`
          if (kind === 'account') await admin('POST', '/admin/users', { kind: 'person', name: 'x', email, ...place })
          else await admin('POST', '/admin/invitations', { email, ...place })
          const expected = opens.includes(provider) ? 200 : 403
          assert.equal((await comeIn(provider, { sub: email, email })).status, expected, `${provider}: ${kind}`)
        }
      })

    test('an account of another organization is opened by no provider', async () => {
      await admin('POST', '/admin/organizations', { name: 'tenant', id: 'tenant' })
      const email = 'tenant@example.com'
      await admin('POST', '/admin/users', { kind: 'person', name: 'x', email, role: 'member', organization: 'tenant' })
      assert.equal((await comeIn('owners', { sub: 'tenant', email })).status, 403)
    })

    test('an inviter who used the link of an invited address loses the account to the person of the address', async () => {
      const email = 'boss@example.com'
      const { body } = await admin('POST', '/admin/invitations', { email, role: 'member' })
      const asked = { token: body.token, name: 'Boss', password: PASSWORD }
      const squatter = clientOf(gateway, {
        cookie: cookieIn(await clientOf(gateway)('POST', '/admin/invitations/accept', asked)),
      })
      assert.equal((await squatter('GET', '/admin/me')).status, 200)
      const { browser } = await comeIn('owners', { sub: 'boss', email, groups: ['owners'] })
      const me = (await (await browser.ask(`${gateway.adminUrl}/admin/me`)).json()) as { name: string }
      assert.equal(me.name, email)
      assert.equal((await squatter('GET', '/admin/me')).status, 401)
      const again = await clientOf(gateway)('POST', '/admin/sessions', { email, password: PASSWORD })
      assert.equal(again.status, 401)
    })

    test('a disabled account stays closed, also if its address is verified', async () => {
      const email = 'gone@example.com'
      const { body } = await admin('POST', '/admin/users', { kind: 'person', name: 'x', email, role: 'member' })
      await admin('PATCH', `/admin/users/${body.id}`, { disabled: true })
      for (const provider of ['members', 'owners'])
        assert.equal((await comeIn(provider, { sub: 'gone', email })).status, 403)
    })

    test('the same subject at another provider is another person, and a changed address changes no account', async () => {
      const first = await comeIn('members', { sub: 'same', email: 'same-1@example.com' })
      const second = await comeIn('owners', { sub: 'same', email: 'same-2@example.com' })
      const idOf = async ({ browser }: { browser: Browser }) =>
        ((await (await browser.ask(`${gateway.adminUrl}/admin/me`)).json()) as { id: string }).id
      assert.notEqual(await idOf(first), await idOf(second))
      const renamed = await comeIn('members', { sub: 'same', email: OWNER })
      assert.equal(await idOf(renamed), await idOf(first))
      assert.equal((await rowOf('same-1@example.com')).length, 1)
    })

    test('an admin confirms only what they could give, and the account is linked at once', async () => {
      const email = 'kim@example.com'
      const { body: kim } = await admin('POST', '/admin/users', { kind: 'person', name: 'Kim', email, role: 'auditor' })
      assert.equal((await comeIn('members', { sub: 'kim', email })).status, 403)
      const waiting = (await admin('GET', '/admin/identity-links')).body.items as { id: string; email: string }[]
      const linkOf = (address: string) => waiting.find((one) => one.email === address)!.id
      const { body: robot } = await admin('POST', '/admin/users', { name: 'robot', role: 'admin' })
      const { token } = (await admin('POST', `/admin/users/${robot.id}/tokens`, { name: 't' })).body
      const lesser = clientOf(gateway, { authorization: `Bearer ${token}` })
      assert.equal((await lesser('POST', `/admin/identity-links/${linkOf(OWNER)}/confirm`)).status, 403)
      assert.equal((await admin('POST', `/admin/identity-links/${linkOf(email)}/confirm`)).status, 200)
      const members = (await admin('GET', `/admin/members?user=${kim.id}`)).body.items as { id: string }[]
      assert.equal(members.length, 1)
      assert.equal((await comeIn('members', { sub: 'kim', email })).status, 200)
      assert.equal((await rowOf(email))[0]!.subject, 'kim')
    })

    test('an invitation that was made after the confirmation is not part of it', async () => {
      const email = 'late@example.com'
      await admin('POST', '/admin/invitations', { email, role: 'billing' })
      assert.equal((await comeIn('members', { sub: 'late', email })).status, 403)
      const waiting = (await admin('GET', '/admin/identity-links')).body.items as { id: string; email: string }[]
      const { id } = waiting.find((one) => one.email === email)!
      assert.equal((await admin('POST', `/admin/identity-links/${id}/confirm`)).status, 200)
      await gateway.gateway.services.calls.db.query(
        'UPDATE identity_links SET confirmed_at = confirmed_at - 1000 WHERE id = $1',
        [id],
      )
      await admin('POST', '/admin/invitations', { email, role: 'owner' })
      assert.equal((await comeIn('members', { sub: 'late', email })).status, 403)
    })

    test('a person who proves the password links any provider to the own account, and keeps the password', async () => {
      const ask = (current_password: string, provider = 'members') =>
        owner('POST', '/admin/me/identity', { provider, current_password })
      assert.deepEqual([(await ask('wrong')).status, (await ask(PASSWORD, 'nowhere')).status], [422, 404])
      assert.equal(
        (await admin('POST', '/admin/me/identity', { provider: 'members', current_password: 'x' })).status,
        409,
      )
      const begun = await ask(PASSWORD)
      assert.equal(begun.status, 200)
      const browser = new Browser()
      const [flow, value] = cookieIn(begun).split('=') as [string, string]
      browser.cookiesOf(gateway.adminUrl).set(flow, value)
      const linked = await finish('members', browser, begun.body.url, {
        sub: 'of-the-owner',
        email: 'other@example.com',
      })
      assert.equal(linked.status, 200, linked.text)
      const [account] = await rowOf(OWNER)
      assert.deepEqual([account!.subject, account!.issuer], ['of-the-owner', providers.members!.url])
      assert.equal(
        (await clientOf(gateway)('POST', '/admin/sessions', { email: OWNER, password: PASSWORD })).status,
        201,
      )
      assert.equal((await comeIn('members', { sub: 'of-the-owner' })).status, 200)
    })

    test('an identity that is linked already, or an account that has one, is not linked again', async () => {
      const begun = await owner('POST', '/admin/me/identity', { provider: 'owners', current_password: PASSWORD })
      const browser = new Browser()
      const [flow, value] = cookieIn(begun).split('=') as [string, string]
      browser.cookiesOf(gateway.adminUrl).set(flow, value)
      const linked = await finish('owners', browser, begun.body.url, { sub: 'boss' })
      assert.equal(linked.status, 403)
      assert.equal((await rowOf(OWNER))[0]!.subject, 'of-the-owner')
    })

    const UNVERIFIED: Record<string, object> = {
      'an address instead of a name': { email: OWNER, email_verified: false },
      'a name that is an address': { name: OWNER, email: undefined },
      'a name around an address': { name: `Olga <${OWNER}>`, email: undefined },
      'an address with another at sign': { name: OWNER.replace('@', '\uFF20'), email: undefined },
      'a verified address and the name of another': { name: 'third@example.com' },
    }
    for (const [index, [what, claims]] of Object.entries(UNVERIFIED).entries())
      test(`no person is called like an address that may be another person's: ${what}`, async () => {
        const own = { sub: `stranger-${index}`, email: `stranger-${index}@example.com` }
        const { status } = await comeIn('members', { ...own, ...claims })
        const { db } = gateway.gateway.services.calls
        const named = await db.query<{ name: string }>('SELECT name FROM users WHERE subject = $1', [own.sub])
        const waiting = await db.query<{ name: string }>('SELECT name FROM identity_links WHERE subject = $1', [
          own.sub,
        ])
        assert.ok([200, 403].includes(status))
        assert.deepEqual(
          [...named, ...waiting].map(({ name }) => name),
          [index === 4 ? own.email : own.sub],
        )
      })

    test('an own name is not the address of another person', async () => {
      const named = async (name: string) => (await owner('PATCH', '/admin/me', { name })).status
      assert.deepEqual([await named('third@example.com'), await named(OWNER), await named('Olga')], [422, 200, 200])
    })

    async function comeIn(provider: string, claims: Record<string, unknown>) {
      const browser = new Browser()
      const begun = await browser.ask(`${gateway.adminUrl}/sign-in/oidc/${provider}`)
      return { browser, ...(await finish(provider, browser, begun.headers.get('location')!, claims)) }
    }

    async function finish(name: string, browser: Browser, url: string, claims: Record<string, unknown>) {
      const provider = providers[name]!
      // All of them come from one address.
      await gateway.gateway.services.calls.db.query('DELETE FROM sign_in_limits')
      const { searchParams } = new URL(url)
      const iat = Math.floor(Date.now() / 1000)
      const token = { iss: provider.url, aud: 'gatehouse', iat, exp: iat + 60, nonce: searchParams.get('nonce') }
      provider.idToken = signedBy(KEY, { claims: { ...token, email_verified: true, ...claims } })
      provider.userinfo = { sub: claims.sub }
      const query = new URLSearchParams({ code: 'code', iss: provider.url, state: searchParams.get('state')! })
      const { status, text } = await browser.visit(`${gateway.adminUrl}/sign-in/oidc/${name}/callback?${query}`)
      return { status, text }
    }

    function rowOf(email: string) {
      const sql = 'SELECT issuer, subject, name FROM users WHERE email = $1'
      return gateway.gateway.services.calls.db.query<Record<string, string | null>>(sql, [email])
    }
  })
