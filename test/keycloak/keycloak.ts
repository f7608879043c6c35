import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { freePort } from '../../src/platform/net/free-port.ts'
import { type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { type Keycloak, keycloakHome, startKeycloak } from './keycloak-server.ts'
import { CLIENT_SECRET, PASSWORD, REALM, realmFor } from './realm.ts'

// `npm run keycloak`: sign-in with a real Keycloak and a real browser, and a token of Keycloak on the API. Needs Java 17, curl,
// tar and Chromium; says what is missing. The first run downloads Keycloak (170 MB).

const BROWSERS = [process.env.CHROMIUM ?? 'chromium', 'chromium-browser', 'google-chrome']
const CHAT = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] }
const BROWSER_MS = 60_000

const browserPath = BROWSERS.map(pathOf).find((path) => path !== undefined)
if (!pathOf('java')) skip('there is no Java')
else if (!browserPath) skip('there is no Chromium; name one with CHROMIUM')
else await rehearse(browserPath)

function skip(reason: string): void {
  console.log(`skipped: ${reason}`)
}

function pathOf(program: string): string | undefined {
  try {
    return execFileSync('which', [program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

async function rehearse(executablePath: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-keycloak-test-'))
  const port = await freePort('127.0.0.1', 0)
  const issuer = `http://127.0.0.1:${port}/realms/${REALM}`
  const file = join(folder, 'config.json')
  await writeFile(file, JSON.stringify({ auth: authFor(issuer) }))
  const env = { GATEHOUSE_CONFIG: file, CLIENT_SECRET }
  const gateway = await startGateway({ env, dataDir: folder })
  let keycloak: Keycloak | undefined
  try {
    await gateway.gateway.services.calls.db.query(
      `INSERT INTO projects (id, organization, name, share, created_at, updated_at)
       VALUES ('research', 'default', 'research', 'project', 1, 1)`,
    )
    keycloak = await startKeycloak(await keycloakHome(), port, realmFor(gateway.adminUrl))
    await signInWithBrowser(gateway, keycloak, executablePath)
    await callWithToken(gateway, issuer)
  } finally {
    await keycloak?.close()
    await gateway.close()
    await rm(folder, { recursive: true })
  }
}

function authFor(issuer: string) {
  const groups = { 'ai-admins': 'admin', 'team-*': { role: 'member', project: '$1' } }
  return {
    oidc: [{ name: 'keycloak', issuer, clientId: 'gatehouse', clientSecretEnv: 'CLIENT_SECRET', groups }],
    jwt: [{ issuer, audience: 'gatehouse-api', claims: { groups: 'groups' }, groups: { 'team-*': '$1' } }],
  }
}

async function signInWithBrowser({ adminUrl }: GatewayUnderTest, keycloak: Keycloak, executablePath: string) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const page = await (await browser.newContext()).newPage()
    page.setDefaultTimeout(BROWSER_MS)
    await page.goto(`${adminUrl}/sign-in/oidc/keycloak`)
    await page.fill('#username', 'ada')
    await page.fill('#password', PASSWORD)
    await page.click('#kc-login')
    await page.waitForURL(`${adminUrl}/`)
    const ask = async () => {
      const answer = (await page.goto(`${adminUrl}/admin/me`))!
      return [answer.status(), await answer.json()]
    }
    const [status, me] = (await ask()) as [number, { name: string; memberships: { role: string }[] }]
    assert.deepEqual([status, me.name], [200, 'ada@acme.example'])
    assert.deepEqual(me.memberships.map(({ role }) => role).toSorted(), ['admin', 'member'])
    const cookies = await page.context().cookies(adminUrl)
    const seen = cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])
    assert.deepEqual(seen, [['gatehouse', true, 'Strict']])
    console.log('passed: Chromium signs in through Keycloak, groups become roles, the cookie is Strict')
    await logOutAtKeycloak(keycloak)
    assert.equal(((await ask()) as [number])[0], 401)
    console.log('passed: Keycloak ends the session by back-channel logout')
  } finally {
    await browser.close()
  }
}

/** As an admin of Keycloak does it in its console. */
async function logOutAtKeycloak({ url }: Keycloak): Promise<void> {
  const token = await tokenOf(`${url}/realms/master`, { client_id: 'admin-cli', username: 'admin', password: 'admin' })
  const headers = { authorization: `Bearer ${token}` }
  const users = (await (await fetch(`${url}/admin/realms/${REALM}/users`, { headers })).json()) as { id: string }[]
  await fetch(`${url}/admin/realms/${REALM}/users/${users[0]!.id}/logout`, { method: 'POST', headers })
}

async function callWithToken({ url }: GatewayUnderTest, issuer: string): Promise<void> {
  const client = { client_id: 'gatehouse', client_secret: CLIENT_SECRET }
  const token = await tokenOf(issuer, { ...client, username: 'ada', password: PASSWORD })
  const ask = async (key: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    return (await fetch(`${url}/v3/chat/completions`, { method: 'POST', headers, body: JSON.stringify(CHAT) })).status
  }
  assert.deepEqual([await ask(token), await ask(`${token.slice(0, -6)}AAAAAA`)], [200, 401])
  console.log('passed: an access token of Keycloak works on the API, and a changed one does not')
}

async function tokenOf(realm: string, parameters: Record<string, string>): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'password', ...parameters })
  const answer = await fetch(`${realm}/protocol/openid-connect/token`, { method: 'POST', body })
  return ((await answer.json()) as { access_token: string }).access_token
}
