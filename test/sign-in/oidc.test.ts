import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { ADMIN_KEY, startGateway } from '../gateway/gateway-under-test.ts'
import { storeKinds } from '../fakes/stores.ts'
import { Browser } from './browser.ts'
import { startProvider } from './real-provider.ts'
import { SHAPES, RULES } from './claim-shapes.ts'

// A real OpenID provider (the package oidc-provider), and two gateways on one store, as two processes would be.

const ENCRYPTION_KEY = 'an-encryption-key-of-thirty-two-characters'

for (const { name, skip, newStore } of await storeKinds())
  describe(`sign-in with a provider, on ${name}`, { skip }, async () => {
    if (skip) return
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-oidc-'))
    const [inToken, atUserinfo] = await Promise.all([
      startProvider({ inToken: true }),
      startProvider({ inToken: false }),
    ])
    const file = join(folder, 'config.json')
    await configure()
    const store = await newStore()
    const env = {
      GATEHOUSE_CONFIG: file,
      CLIENT_SECRET: 'secret-of-the-client',
      GATEHOUSE_ENCRYPTION_KEY: ENCRYPTION_KEY,
      ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }),
    }
    const here = await startGateway({ env, dataDir: folder })
    const there = await startGateway({ env, dataDir: folder })
    const gateways = [here.adminUrl, there.adminUrl]
    inToken.open(gateways, ['keycloak', 'entra', 'google'])
    atUserinfo.open(gateways, ['okta'])
    const { db } = here.gateway.services.calls
    await db.query(
      `INSERT INTO projects (id, organization, name, share, created_at, updated_at)
       VALUES ('research', 'default', 'research', 'project', 1, 1)`,
    )

    after(async () => {
      const ends = await Promise.allSettled([here.close(), there.close(), inToken.close(), atUserinfo.close()])
      await store.remove()
      await rm(folder, { recursive: true })
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    })

    for (const [shape, { claims, shown }] of Object.entries(SHAPES))
      test(`people come in with the claims of ${shape}, and get the roles of their groups`, async () => {
        const provider = shape === 'okta' ? atUserinfo : inToken
        provider.account = { sub: `${shape}-1`, claims }
        const browser = new Browser()
        const end = await browser.visit(`${here.adminUrl}/sign-in/oidc/${shape}`)
        assert.equal(end.status, 200, end.text)
        const me = await meOf(browser)
        assert.equal(me.name, shown)
        const member = ['member', 'research', 'sso']
        const isAdmin = shape === 'entra' || shape === 'keycloak'
        assert.deepEqual(await rolesOf(me), isAdmin ? [['admin', null, 'sso'], member] : [member])
        const [row] = await db.query('SELECT issuer, subject, password FROM users WHERE subject = $1', [`${shape}-1`])
        assert.deepEqual(row, { issuer: provider.url, subject: `${shape}-1`, password: null })
      })

    test('the cookies: the flow is Lax and goes, the session is Strict; the page leads on', async () => {
      inToken.account = { sub: 'keycloak-1', claims: SHAPES.keycloak!.claims }
      const browser = new Browser()
      const begun = await browser.ask(`${here.adminUrl}/sign-in/oidc/keycloak`)
      assert.match(
        begun.headers.get('set-cookie')!,
        /^gatehouse-sign-in=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
      )
      const asked = new URL(begun.headers.get('location')!).searchParams
      assert.equal(asked.get('code_challenge_method'), 'S256')
      for (const parameter of ['state', 'nonce', 'code_challenge']) assert.equal(asked.get(parameter)!.length, 43)
      const end = await browser.visit(begun.headers.get('location')!)
      assert.equal(end.status, 200)
      const set = end.headers.getSetCookie()
      assert.match(set[0]!, /^gatehouse=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict/)
      assert.match(set[1]!, /^gatehouse-sign-in=; .*Max-Age=0$/)
      assert.match(end.text, /http-equiv="refresh"/)
      assert.match(end.headers.get('content-security-policy')!, /default-src 'none'/)
    })

    test('a sign-out leads to the end of the session at the provider, and back', async () => {
      inToken.account = { sub: 'keycloak-1', claims: SHAPES.keycloak!.claims }
      const browser = new Browser()
      await browser.visit(`${here.adminUrl}/sign-in/oidc/keycloak`)
      const headers = { origin: here.adminUrl }
      const left = await browser.ask(`${here.adminUrl}/admin/me/sign-out`, { method: 'POST', headers })
      assert.equal(left.status, 200)
      const url = new URL(((await left.json()) as { url: string }).url)
      assert.deepEqual([url.origin, url.pathname], [inToken.url, '/session/end'])
      assert.equal(url.searchParams.get('client_id'), 'gatehouse')
      assert.equal(url.searchParams.get('post_logout_redirect_uri'), `${here.adminUrl}/sign-in`)
      assert.equal((await browser.visit(url.href)).status, 200)
      assert.equal((await browser.ask(`${here.adminUrl}/admin/me`)).status, 401)
    })

    test('another account can be chosen at the provider', async () => {
      const asked = async (query: string) => {
        const begun = await new Browser().ask(`${here.adminUrl}/sign-in/oidc/keycloak${query}`)
        return new URL(begun.headers.get('location')!).searchParams.get('prompt')
      }
      assert.equal(await asked(''), null)
      assert.ok(['select_account', 'login'].includes((await asked('?choose_account=true'))!))
    })

    test('the answer may reach another process, and only once: a replayed code or state is refused', async () => {
      const browser = new Browser()
      const isBack = (url: string) => url.startsWith(`${here.adminUrl}/sign-in/oidc/keycloak/callback`)
      const { url } = await browser.visit(`${here.adminUrl}/sign-in/oidc/keycloak`, isBack)
      browser.share(here.adminUrl, there.adminUrl)
      const flow = browser.cookiesOf(here.adminUrl).get('gatehouse-sign-in')!
      const elsewhere = url.replace(here.adminUrl, there.adminUrl)
      assert.equal((await browser.visit(elsewhere)).status, 200)
      assert.equal((await meOf(browser)).name, 'dan@acme.example')
      const replay = await fetch(url, { headers: { cookie: `gatehouse-sign-in=${flow}` } })
      assert.equal(replay.status, 401)
      // The same state with a new code: what the provider accepts, the gateway does not.
      const again = new URL((await new Browser().visit(await authorization(url, flow), isBack)).url)
      const state = new URL(url).searchParams.get('state')!
      again.searchParams.set('state', state)
      assert.notEqual((await fetch(again, { headers: { cookie: `gatehouse-sign-in=${flow}` } })).status, 200)
    })

    test('without the cookie, with that of another browser or for another provider, the sign-in is refused', async () => {
      const isBack = (url: string) => url.includes('/callback')
      const browser = new Browser()
      const { url } = await browser.visit(`${here.adminUrl}/sign-in/oidc/keycloak`, isBack)
      const stranger = new Browser()
      await stranger.ask(`${here.adminUrl}/sign-in/oidc/keycloak`)
      assert.equal((await fetch(url)).status, 400)
      assert.equal((await stranger.visit(url)).status, 400)
      assert.equal((await browser.visit(url.replace('/keycloak/', '/entra/'))).status, 400)
      const sealed = [...browser.cookiesOf(here.adminUrl)].length
      assert.equal(sealed, 0, 'a refusal ends the flow')
    })

    test('a group that is taken away takes its role, and the last one takes sessions and keys', async () => {
      const claims = (groups: string[]) => ({ email_verified: true, email: 'zoe@acme.example', name: 'Zoe', groups })
      atUserinfo.account = { sub: 'zoe', claims: claims(['ai-admins', 'team-research']) }
      const first = new Browser()
      await first.visit(`${here.adminUrl}/sign-in/oidc/okta`)
      const { id } = await meOf(first)
      await db.query(
        `INSERT INTO keys (id, digest, name, kind, owner_kind, owner_id, region, project, user_id, last4, created_at, updated_at)
         VALUES ('key-of-zoe', 'd', 'zoe', 'live', 'project', 'research', 'global', 'research', $1, '0000', 1, 1)`,
        [id as string],
      )
      atUserinfo.account = { sub: 'zoe', claims: claims(['team-research']) }
      const second = new Browser()
      await second.visit(`${here.adminUrl}/sign-in/oidc/okta`)
      assert.deepEqual(await rolesOf(await meOf(second)), [['member', 'research', 'sso']])
      assert.equal((await first.ask(`${there.adminUrl}/admin/me`)).status, 401)
      const isRevoked = async () => {
        const [key] = await db.query<{ at: number | null }>("SELECT revoked_at AS at FROM keys WHERE id = 'key-of-zoe'")
        return key!.at !== null
      }
      assert.equal(await isRevoked(), false)
      atUserinfo.account = { sub: 'zoe', claims: claims([]) }
      assert.equal((await new Browser().visit(`${here.adminUrl}/sign-in/oidc/okta`)).status, 403)
      assert.equal((await second.ask(`${here.adminUrl}/admin/me`)).status, 401)
      assert.equal(await isRevoked(), true)
    })

    test('a role of the provider cannot be edited by hand', async () => {
      const [member] = await db.query<{ id: string }>("SELECT id FROM members WHERE source = 'sso' LIMIT 1")
      const answer = await admin('PATCH', `/admin/members/${member!.id}`, { role: 'auditor' })
      assert.equal(answer.status, 409)
    })

    test('an e-mail address links an invitation only if it is verified; otherwise an admin has to confirm it', async () => {
      const invited = { email: 'guest@acme.example', role: 'auditor' }
      assert.equal((await admin('POST', '/admin/invitations', invited)).status, 201)
      const claims = { email: 'Guest@acme.example', name: 'Guest', roles: [] }
      for (const unverified of [claims, { ...claims, email_verified: false }, { ...claims, email_verified: 'true' }]) {
        inToken.account = { sub: 'guest-1', claims: unverified }
        const refused = await new Browser().visit(`${here.adminUrl}/sign-in/oidc/entra`)
        assert.deepEqual([refused.status, /administrator/.test(refused.text)], [403, true])
      }
      const { items } = (await (await admin('GET', '/admin/identity-links')).json()) as {
        items: Record<string, string>[]
      }
      assert.deepEqual([items.length, items[0]!.email, items[0]!.subject], [1, 'guest@acme.example', 'guest-1'])
      assert.equal((await admin('POST', `/admin/identity-links/${items[0]!.id}/confirm`)).status, 200)
      // Another subject with the same address is not confirmed.
      inToken.account = { sub: 'guest-2', claims }
      assert.equal((await new Browser().visit(`${here.adminUrl}/sign-in/oidc/entra`)).status, 403)
      inToken.account = { sub: 'guest-1', claims }
      const browser = new Browser()
      assert.equal((await browser.visit(`${here.adminUrl}/sign-in/oidc/entra`)).status, 200)
      const me = await meOf(browser)
      assert.deepEqual([me.name, await rolesOf(me)], ['guest@acme.example', [['auditor', null, 'manual']]])
    })

    test('a verified address links an account that exists, once; another identity with it is refused', async () => {
      const user = { kind: 'person', name: 'Kim', email: 'kim@acme.example', role: 'billing' }
      assert.equal((await admin('POST', '/admin/users', user)).status, 201)
      const claims = { email: 'kim@acme.example', email_verified: true, name: 'Kim K.' }
      inToken.account = { sub: 'kim-1', claims }
      const browser = new Browser()
      assert.equal((await browser.visit(`${here.adminUrl}/sign-in/oidc/keycloak`)).status, 200)
      assert.deepEqual(await rolesOf(await meOf(browser)), [['billing', null, 'manual']])
      inToken.account = { sub: 'kim-2', claims }
      assert.equal((await new Browser().visit(`${here.adminUrl}/sign-in/oidc/keycloak`)).status, 403)
      const { id } = await meOf(browser)
      await admin('PATCH', `/admin/users/${id}`, { disabled: true })
      inToken.account = { sub: 'kim-1', claims }
      assert.equal((await new Browser().visit(`${here.adminUrl}/sign-in/oidc/keycloak`)).status, 403)
    })

    test('a stranger without a group, or of another domain, is refused', async () => {
      inToken.account = { sub: 'x', claims: { email: 'x@gmail.example', email_verified: true, name: 'X' } }
      assert.equal((await new Browser().visit(`${here.adminUrl}/sign-in/oidc/google`)).status, 403)
      assert.deepEqual(await db.query("SELECT id FROM users WHERE subject = 'x'"), [])
    })

    test('the provider ends the session of a person who signs out there', async () => {
      inToken.account = { sub: 'keycloak-1', claims: SHAPES.keycloak!.claims }
      const browser = new Browser()
      await browser.visit(`${here.adminUrl}/sign-in/oidc/keycloak`)
      assert.equal((await browser.ask(`${there.adminUrl}/admin/me`, cookieHere(browser))).status, 200)
      await inToken.logOut('keycloak-1')
      assert.equal((await browser.ask(`${here.adminUrl}/admin/me`)).status, 401)
    })

    test('passwords can be switched off only when an owner has signed in with a provider', async () => {
      const options = async () =>
        (await (await fetch(`${here.adminUrl}/sign-in/providers`)).json()) as { password: boolean }
      await configure({ ssoOnly: true })
      await here.gateway.services.operations.reloadConfig()
      assert.equal((await options()).password, true)
      await db.query("UPDATE members SET role = 'owner' WHERE source = 'sso' AND project IS NULL")
      assert.equal((await options()).password, false)
    })

    test('everything is in the audit log, and no secret is in any log', async () => {
      const actions = await db.query<{ action: string }>("SELECT DISTINCT action FROM audit WHERE via = 'sso'")
      const seen = actions.map(({ action }) => action).toSorted()
      assert.deepEqual(seen, [
        'invitation.accept',
        'member.create',
        'member.delete',
        'session.end_by_provider',
        'sign_in.fail',
        'sign_in.succeed',
        'user.create',
        'user.link',
      ])
      const logs = here.logs() + there.logs()
      assert.ok(
        !/secret-of-the-client|code=|eyJ/.test(logs),
        logs.match(/.{80}(secret-of-the-client|code=|eyJ).{80}/)?.[0],
      )
    })

    async function configure(more: object = {}): Promise<void> {
      const entry = { clientId: 'gatehouse', clientSecretEnv: 'CLIENT_SECRET', groups: RULES }
      const oidc = [
        { ...entry, name: 'entra', issuer: inToken.url, claims: { groups: 'roles' } },
        {
          ...entry,
          name: 'google',
          issuer: inToken.url,
          match: { hd: 'acme.example' },
          default: { role: 'member', project: 'research' },
        },
        { ...entry, name: 'okta', issuer: atUserinfo.url },
        { ...entry, name: 'keycloak', issuer: inToken.url, claims: { groups: 'realm_access.roles' } },
      ]
      await writeFile(file, JSON.stringify({ auth: { oidc, ...more } }))
    }

    async function rolesOf({ id }: Record<string, unknown>): Promise<unknown[]> {
      const sql = 'SELECT role, project, source FROM members WHERE user_id = $1 ORDER BY role'
      return (await db.query<Record<string, unknown>>(sql, [String(id)])).map(({ role, project, source }) => [
        role,
        project,
        source,
      ])
    }

    async function meOf(browser: Browser): Promise<Record<string, unknown>> {
      const answer = await browser.ask(`${here.adminUrl}/admin/me`, cookieHere(browser))
      assert.equal(answer.status, 200)
      return (await answer.json()) as Record<string, unknown>
    }

    function cookieHere(browser: Browser): RequestInit {
      const token =
        browser.cookiesOf(here.adminUrl).get('gatehouse') ?? browser.cookiesOf(there.adminUrl).get('gatehouse')
      return { headers: { cookie: `gatehouse=${token}` } }
    }

    function admin(method: string, path: string, body?: unknown): Promise<Response> {
      const headers = {
        authorization: `Bearer ${ADMIN_KEY}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }
      return fetch(here.adminUrl + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    }

    /** The address at the provider for another sign-in with a state that was used. */
    async function authorization(callback: string, _flow: string): Promise<string> {
      const begun = await new Browser().ask(`${here.adminUrl}/sign-in/oidc/keycloak`)
      const url = new URL(begun.headers.get('location')!)
      url.searchParams.set('state', new URL(callback).searchParams.get('state')!)
      return url.href
    }
  })
