import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { hashPassword } from '../../src/tenants/sign-in/password-hash.ts'
import { signedBy, usualKey } from '../../src/tenants/jwt/fixtures/fake-issuer.ts'
import { runHere } from '../gateway/gateway-process.ts'
import { type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { type Client, clientOf, firstOwner, operator, PASSWORD, signedIn } from '../gateway/people-under-test.ts'
import { storeKinds } from '../fakes/stores.ts'
import { Browser } from './browser.ts'
import { type LyingProvider, startLyingProvider } from './lying-provider.ts'
import { DAY_MS } from '../../src/base/units/units.ts'

// `auth.ssoOnly` from the first start on: it takes effect when an owner has signed in with a provider, so no owner is locked out.

const OWNER = 'owner@example.com'
const KEY = usualKey()

for (const { name, skip, newStore } of await storeKinds())
  describe(`only providers, on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let provider: LyingProvider
    let owner: Client
    let file: string
    let lateBy = 0
    let ownerEnv: Record<string, string>
    const closing = new AsyncDisposableStack()

    before(async () => {
      const store = await newStore()
      const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-sso-only-'))
      file = join(dataDir, 'config.json')
      provider = await startLyingProvider([KEY])
      const groups = { owners: 'owner' }
      await configure([
        { name: 'one', issuer: provider.url, clientId: 'gatehouse', groups, default: { role: 'member' } },
      ])
      const env: Record<string, string> = { GATEHOUSE_CONFIG: file }
      if (store.databaseUrl) env.DATABASE_URL = store.databaseUrl
      ownerEnv = { ...env, DATA_DIR: dataDir }
      gateway = await startGateway({ env, dataDir, overrides: { now: () => Date.now() + lateBy } })
      closing.defer(() => store.remove())
      closing.defer(() => rm(dataDir, { recursive: true }))
      closing.defer(() => provider.close())
      closing.defer(() => gateway.close())
    })
    after(() => closing.disposeAsync())

    test('before an owner has come in through a provider, passwords work', async () => {
      owner = await firstOwner(gateway, OWNER)
      assert.equal(await options(), true)
      assert.equal((await signIn()).status, 201)
      await comeIn('a-member', 'member@example.com')
      assert.equal(await options(), true, 'a member who came in through it is not enough')
    })

    test('afterwards they are refused, also to those who are invited', async () => {
      const { body: invitation } = await owner('POST', '/admin/invitations', {
        email: 'new@example.com',
        role: 'member',
      })
      const browser = await comeIn('the-owner', OWNER)
      const me = await (await browser.ask(`${gateway.adminUrl}/admin/me`)).json()
      assert.deepEqual((me as { memberships: object[] }).memberships, [
        { organization: 'default', project: null, role: 'owner' },
      ])
      assert.equal(await options(), false)
      await setPassword(PASSWORD)
      const answers = [await signIn(), await signIn('wrong'), await signIn('wrong', 'stranger@example.com')]
      assert.deepEqual(
        answers.map(({ status, body }) => [status, body.error.message]),
        answers.map(() => [403, 'Passwords are switched off here. Sign in with a provider.']),
        'an attacker who tries passwords learns nothing',
      )
      const answer = { token: invitation.token, name: 'New', password: PASSWORD }
      assert.equal((await clientOf(gateway)('POST', '/admin/invitations/accept', answer)).status, 403)
    })

    test('the last owner cannot be taken away, so an owner can always sign in', async () => {
      const admin = operator(gateway)
      const { items } = (await admin('GET', '/admin/users?kind=person')).body
      const { id } = items.find(({ email }: { email: string }) => email === OWNER)
      assert.equal((await admin('PATCH', `/admin/users/${id}`, { disabled: true })).status, 409)
      assert.equal((await admin('DELETE', `/admin/users/${id}`)).status, 409)
    })

    test('a password that was set on the machine itself is the way back in, for a while', async () => {
      const { stdout, code } = await runHere(['users', 'reset-password', OWNER], ownerEnv)
      assert.equal(code, 0)
      assert.equal((await signIn(stdout.trim())).status, 201)
      assert.equal((await signIn(PASSWORD)).status, 403, 'the former password is gone')
      lateBy = DAY_MS
      assert.equal((await signIn(stdout.trim())).status, 403)
      lateBy = 0
    })

    test('a config file with another provider makes passwords work again, until an owner has used that one', async () => {
      await configure([{ name: 'another', issuer: 'https://another.example', clientId: 'gatehouse' }])
      await gateway.gateway.services.operations.reloadConfig()
      const { stdout } = await runHere(['users', 'reset-password', OWNER], ownerEnv)
      lateBy = DAY_MS
      assert.equal(await options(), true)
      await signedIn(gateway, OWNER, stdout.trim())
    })

    async function configure(oidc: object[]): Promise<void> {
      await writeFile(file, JSON.stringify({ auth: { oidc, ssoOnly: true } }))
    }

    async function options(): Promise<boolean> {
      return (await clientOf(gateway)('GET', '/sign-in/providers')).body.password
    }

    function signIn(password = PASSWORD, email = OWNER) {
      return clientOf(gateway)('POST', '/admin/sessions', { email, password })
    }

    /** As if the account had had it since before it was linked. */
    async function setPassword(password: string): Promise<void> {
      const { db } = gateway.gateway.services.calls
      await db.query('UPDATE users SET password = $2 WHERE email = $1', [OWNER, await hashPassword(password)])
    }

    async function comeIn(sub: string, email: string): Promise<Browser> {
      const browser = new Browser()
      const begun = await browser.ask(`${gateway.adminUrl}/sign-in/oidc/one`)
      const { searchParams } = new URL(begun.headers.get('location')!)
      const [nonce, state] = [searchParams.get('nonce'), searchParams.get('state')!]
      const iat = Math.floor(Date.now() / 1000)
      const claims = {
        iss: provider.url,
        aud: 'gatehouse',
        sub,
        iat,
        exp: iat + 60,
        nonce,
        email,
        email_verified: true,
      }
      provider.idToken = signedBy(KEY, { claims })
      provider.userinfo = { sub }
      const query = new URLSearchParams({ code: 'code', iss: provider.url, state })
      const { status } = await browser.visit(`${gateway.adminUrl}/sign-in/oidc/one/callback?${query}`)
      assert.equal(status, 200)
      return browser
    }
  })
