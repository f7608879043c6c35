import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { countForAddress } from '../../src/tenants/sign-in/attempts.ts'
import { newKey, signedBy, signedWithSecret, unsigned, usualKey } from '../../src/tenants/jwt/fixtures/fake-issuer.ts'
import { type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { Browser } from './browser.ts'
import { type LyingProvider, startLyingProvider } from './lying-provider.ts'

const KEY = usualKey()
const STRANGER = newKey('RS256')
const LOGOUT = { 'http://schemas.openid.net/event/backchannel-logout': {} }
const SECRET = 'secret-of-the-client'
/** After this time, keys are read again for a token of an unknown key. */
const KEYS_AGAIN_MS = 61_000

type Claims = Record<string, unknown>
type Begun = { browser: Browser; state: string; claims: Claims }

describe('a provider, or an attacker in between, lies', () => {
  let provider: LyingProvider
  let other: LyingProvider
  let gateway: GatewayUnderTest
  let folder: string
  let begun: Begun
  let lateBy = 0

  before(async () => {
    provider = await startLyingProvider([KEY])
    other = await startLyingProvider([STRANGER])
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-attacks-'))
    const entry = { clientId: 'gatehouse', clientSecretEnv: 'CLIENT_SECRET', default: { role: 'member' } }
    const oidc = [
      { ...entry, name: 'one', issuer: provider.url },
      { ...entry, name: 'other', issuer: other.url },
    ]
    const file = join(folder, 'config.json')
    await writeFile(file, JSON.stringify({ auth: { oidc } }))
    const env = { GATEHOUSE_CONFIG: file, CLIENT_SECRET: SECRET, TRUSTED_PROXIES: '127.0.0.1/32' }
    gateway = await startGateway({ env, dataDir: folder, overrides: { now: () => Date.now() + lateBy } })
  })
  after(async () => {
    await Promise.all([provider.close(), other.close()])
    await gateway.close()
    await rm(folder, { recursive: true })
  })
  beforeEach(async () => {
    lateBy = 0
    provider.userinfo = {}
    provider.keys = [KEY]
    begun = await begin()
  })

  test('the honest answer is accepted, so that the others fail for their own reason', async () => {
    provider.idToken = signedBy(KEY, { claims: begun.claims })
    assert.equal(await finish(), 200)
  })

  const LIES: Record<string, (claims: Claims) => string> = {
    'a wrong nonce': (claims) => signedBy(KEY, { claims: { ...claims, nonce: 'other' } }),
    'no nonce': (claims) => signedBy(KEY, { claims: { ...claims, nonce: undefined } }),
    'another audience': (claims) => signedBy(KEY, { claims: { ...claims, aud: 'other' } }),
    'several audiences without azp': (claims) => signedBy(KEY, { claims: { ...claims, aud: ['other', 'another'] } }),
    'another issuer': (claims) => signedBy(KEY, { claims: { ...claims, iss: 'https://evil.example' } }),
    'alg none': (claims) => unsigned({ claims }),
    'HS256 with the public key': (claims) => {
      const pem = createPublicKey(KEY.privateKey).export({ type: 'spki', format: 'pem' })
      return signedWithSecret(String(pem), { header: { kid: KEY.kid }, claims })
    },
    'HS256 with the secret of the client': (claims) => signedWithSecret(SECRET, { claims }),
    'the key of another issuer': (claims) => signedBy(STRANGER, { claims }),
    'a token that expired more than a minute ago': (claims) =>
      signedBy(KEY, { claims: { ...claims, exp: Math.floor(Date.now() / 1000) - 70 } }),
    'no subject': (claims) => signedBy(KEY, { claims: { ...claims, sub: undefined } }),
    'no ID token': () => '',
  }
  for (const [what, token] of Object.entries(LIES))
    test(`${what} is refused`, async () => {
      provider.idToken = token(begun.claims)
      assert.equal(await finish(), 401)
      assert.equal(begun.browser.cookiesOf(gateway.adminUrl).size, 0)
    })

  test('clocks may differ by a minute', async () => {
    const exp = Math.floor(Date.now() / 1000) - 50
    provider.idToken = signedBy(KEY, { claims: { ...begun.claims, exp } })
    assert.equal(await finish(), 200)
  })

  test('an answer that names another issuer, or none, is refused: it may be meant for another provider', async () => {
    provider.idToken = signedBy(KEY, { claims: begun.claims })
    assert.equal(await finish({ iss: other.url }), 401)
    begun = await begin()
    provider.idToken = signedBy(KEY, { claims: begun.claims })
    assert.equal(await finish({ iss: undefined }), 401)
  })

  test('the subject of userinfo has to be the same', async () => {
    provider.idToken = signedBy(KEY, { claims: begun.claims })
    provider.userinfo = { sub: 'another-owner', email: 'owner@acme.example', email_verified: true }
    assert.equal(await finish(), 401)
  })

  test('a refusal of the provider, an answer without a code and a repeated state are refused', async () => {
    assert.equal(await finish({ code: undefined, error: 'access_denied' }), 401)
    begun = await begin()
    assert.equal(await finish({ code: undefined }), 401)
    begun = await begin()
    const url = callback({ state: begun.state })
    assert.equal((await begun.browser.ask(`${url}&state=${begun.state}`)).status, 401)
  })

  test('an answer that was used is refused, although the provider takes its code again', async () => {
    provider.idToken = signedBy(KEY, { claims: begun.claims })
    const stolen = new Map(begun.browser.cookiesOf(gateway.adminUrl))
    assert.equal(await finish(), 200)
    const thief = new Browser()
    await thief.ask(gateway.adminUrl)
    for (const [name, value] of stolen) thief.cookiesOf(gateway.adminUrl).set(name, value)
    assert.equal((await thief.visit(callback({ state: begun.state }))).status, 400)
    assert.equal((await thief.ask(`${gateway.adminUrl}/admin/me`)).status, 401)
  })

  test('a provider may replace its keys: tokens of the new one are accepted, those of the old one are not', async (t) => {
    const NEXT = newKey('RS256', 'next')
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + KEYS_AGAIN_MS })
    provider.keys = [NEXT]
    begun = await begin()
    provider.idToken = signedBy(NEXT, { claims: begun.claims })
    assert.equal(await finish(), 200)
    begun = await begin()
    provider.idToken = signedBy(KEY, { claims: begun.claims })
    assert.equal(await finish(), 401)
    t.mock.timers.setTime(Date.now() + KEYS_AGAIN_MS)
    provider.keys = [KEY]
    begun = await begin()
    provider.idToken = signedBy(KEY, { claims: begun.claims })
    assert.equal(await finish(), 200, 'the tests that follow have the first key')
  })

  test('failed answers count for their address, and honest ones do not', async () => {
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
    const { db } = gateway.gateway.services.calls
    for (let count = 0; count < 29; count++) await countForAddress(db, '10.9.9.9')
    provider.idToken = signedBy(KEY, { claims: begun.claims })
    provider.userinfo = { sub: 'ada' }
    assert.equal((await begun.browser.ask(callback({ state: begun.state }), from('10.9.9.9'))).status, 200)
    const wrong = async (address: string) => (await fetch(callback({ state: 'x' }), from(address))).status
    assert.deepEqual([await wrong('10.9.9.9'), await wrong('10.9.9.9')], [400, 429])
    assert.equal(await wrong('10.9.9.8'), 400, 'another address may go on')
  })

  test('a sign-in ends after ten minutes', async () => {
    provider.idToken = signedBy(KEY, { claims: begun.claims })
    lateBy = 600_001
    assert.equal(await finish(), 400)
  })

  test('a cookie that was made up or cut is refused', async () => {
    const [name, value] = [...begun.browser.cookiesOf(gateway.adminUrl)][0]!
    // Not the last character: not all of its bits count in base64.
    const changed = `${value.slice(0, -8)}${value.at(-8) === 'A' ? 'B' : 'A'}${value.slice(-7)}`
    for (const wrong of ['', 'v1.AAAA', value.slice(0, -4), changed, 'x'.repeat(9_000)]) {
      const headers = { cookie: `${name}=${wrong}` }
      assert.equal((await fetch(callback({ state: begun.state }), { headers })).status, 400)
    }
  })

  test('a session that was planted before is not the one afterwards', async () => {
    provider.idToken = signedBy(KEY, { claims: begun.claims })
    const planted = 'A'.repeat(43)
    begun.browser.cookiesOf(gateway.adminUrl).set('gatehouse', planted)
    assert.equal(await finish(), 200)
    assert.notEqual(begun.browser.cookiesOf(gateway.adminUrl).get('gatehouse'), planted)
  })

  test('an unknown provider is not found', async () => {
    for (const path of ['unknown', 'unknown/callback', '__proto__', 'constructor'])
      assert.equal((await fetch(`${gateway.adminUrl}/sign-in/oidc/${path}`)).status, 404)
  })

  describe('about a sign-out', () => {
    beforeEach(async () => {
      provider.idToken = signedBy(KEY, { claims: { ...begun.claims, sid: 'session-1' } })
      assert.equal(await finish(), 200)
    })

    test('an honest token ends the session once; sent again it is refused', async () => {
      const token = logoutToken({ sid: 'session-1' })
      assert.equal(await logOut(token), 200)
      assert.equal(await isSignedIn(), false)
      assert.equal(await logOut(token), 400)
    })

    test('without a sid, all sessions of the subject end', async () => {
      assert.equal(await logOut(logoutToken({ sub: 'ada' })), 200)
      assert.equal(await isSignedIn(), false)
    })

    test('the session of another person stays', async () => {
      assert.equal(await logOut(logoutToken({ sid: 'session-2' })), 200)
      assert.equal(await logOut(logoutToken({ sub: 'eve' })), 200)
      assert.equal(await logOut(logoutToken({ sub: 'eve', sid: 'session-1' })), 200)
      assert.equal(await isSignedIn(), true)
    })

    test('tokens that are not signed, old, for others or of another kind are refused', async () => {
      const now = Math.floor(Date.now() / 1000)
      const wrong = [
        logoutToken({ sid: 'session-1' }, STRANGER),
        unsigned({ claims: logoutClaims({ sid: 'session-1' }) }),
        logoutToken({ sid: 'session-1', aud: 'other' }),
        logoutToken({ sid: 'session-1', iss: other.url }),
        logoutToken({ sid: 'session-1', events: {} }),
        logoutToken({ sid: 'session-1', nonce: 'x' }),
        logoutToken({ sid: 'session-1', jti: undefined }),
        logoutToken({ sid: 'session-1', iat: now - 361, exp: now + 600 }),
        logoutToken({ sid: 'session-1', iat: undefined }),
        logoutToken({}),
        signedBy(KEY, { claims: { ...begun.claims, sid: 'session-1' } }),
        'nonsense',
      ]
      for (const token of wrong) assert.equal(await logOut(token), 400, token)
      assert.equal(await logOut(''), 400)
      assert.equal(await isSignedIn(), true)
      const json = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'logout_token=x' }
      assert.equal((await fetch(`${gateway.adminUrl}/sign-in/oidc/one/logout`, json)).status, 415)
    })
  })

  async function begin(): Promise<Begun> {
    const browser = new Browser()
    const answer = await browser.ask(`${gateway.adminUrl}/sign-in/oidc/one`)
    const { searchParams } = new URL(answer.headers.get('location')!)
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: provider.url,
      aud: 'gatehouse',
      sub: 'ada',
      iat: now,
      exp: now + 60,
      nonce: searchParams.get('nonce'),
    }
    return { browser, state: searchParams.get('state')!, claims }
  }

  function callback(parameters: Record<string, string | undefined>): string {
    const all = { code: 'code', iss: provider.url, ...parameters }
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(all)) if (value !== undefined) query.set(name, value)
    return `${gateway.adminUrl}/sign-in/oidc/one/callback?${query}`
  }

  async function finish(parameters: Record<string, string | undefined> = {}): Promise<number> {
    provider.userinfo = { sub: begun.claims.sub, ...provider.userinfo }
    const { status, text } = await begun.browser.visit(callback({ state: begun.state, ...parameters }))
    assert.ok(!/nonce|token|Error/.test(text), text)
    return status
  }

  async function isSignedIn(): Promise<boolean> {
    return (await begun.browser.ask(`${gateway.adminUrl}/admin/me`)).status === 200
  }

  function logoutClaims(claims: Claims): Claims {
    const iat = Math.floor(Date.now() / 1000)
    return { iss: provider.url, aud: 'gatehouse', iat, jti: crypto.randomUUID(), events: LOGOUT, ...claims }
  }

  function logoutToken(claims: Claims, key = KEY): string {
    return signedBy(key, { header: { typ: 'logout+jwt' }, claims: logoutClaims(claims) })
  }

  async function logOut(token: string): Promise<number> {
    const body = new URLSearchParams({ logout_token: token })
    return (await fetch(`${gateway.adminUrl}/sign-in/oidc/one/logout`, { method: 'POST', body })).status
  }
})
