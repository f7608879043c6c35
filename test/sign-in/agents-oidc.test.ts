import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { beginSignIn, redeem, renew, statusOfCall, type Tokens } from '../gateway/agent-client.ts'
import { startGateway } from '../gateway/gateway-under-test.ts'
import { Browser } from './browser.ts'
import { startProvider } from './real-provider.ts'

// A coding agent is signed in by a person of a real OpenID provider, on the page for the code.

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-agents-oidc-'))
const provider = await startProvider({ inToken: true })
provider.account = { sub: 'ada', claims: { email: 'ada@acme.example', email_verified: true, name: 'Ada' } }
const GATEHOUSE_CONFIG = join(folder, 'config.json')
const entry = { name: 'company', issuer: provider.url, clientId: 'gatehouse', clientSecretEnv: 'CLIENT_SECRET' }
const oidc = [{ ...entry, default: { role: 'member', project: 'default' } }]
await writeFile(GATEHOUSE_CONFIG, JSON.stringify({ agents: { signIn: true }, auth: { oidc } }))
const GATEHOUSE_ENCRYPTION_KEY = 'an-encryption-key-of-thirty-two-characters'
const env = { GATEHOUSE_CONFIG, CLIENT_SECRET: 'secret-of-the-client', GATEHOUSE_ENCRYPTION_KEY }
const gateway = await startGateway({ env, dataDir: folder })
const page = `${gateway.url}/v3/device`
provider.open([gateway.adminUrl], ['company'], [`${page}/callback`])
after(async () => {
  await gateway.close()
  await provider.close()
  await rm(folder, { recursive: true })
})

async function step(browser: Browser, form: Record<string, string>): Promise<string> {
  const headers = { origin: gateway.url, 'sec-fetch-site': 'same-origin' }
  return await (await browser.ask(page, { method: 'POST', headers, body: new URLSearchParams(form) })).text()
}

async function signIn(): Promise<Tokens> {
  const codes = await beginSignIn(gateway.url)
  const browser = new Browser()
  const [, way] = /href="([^"]*)">Sign in with company</.exec(await (await browser.ask(page)).text())!
  const entered = await browser.visit(new URL(way!, page).href)
  assert.equal(entered.status, 200, entered.text)
  const [, next] = /http-equiv="refresh" content="0;url=([^"]*)"/.exec(entered.text)!
  assert.equal(new URL(next!, entered.url).href, page)
  assert.match(await step(browser, { step: 'code', code: codes.user_code }), /Allow this agent\?/)
  const decision = { step: 'decide', decision: 'confirm', code: codes.user_code, project: 'default' }
  assert.match(await step(browser, decision), /<h1>Done</)
  const { status, body } = await redeem(gateway.url, codes)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

test('a person of an OpenID provider signs an agent in, and the sign-out at the provider ends the session of the agent', async () => {
  const { access_token, refresh_token, email } = await signIn()
  assert.equal(email, 'ada@acme.example')
  assert.equal(await statusOfCall(gateway.url, access_token), 200)
  await provider.logOut('ada')
  assert.equal(await statusOfCall(gateway.url, access_token), 401)
  assert.equal((await renew(gateway.url, refresh_token)).body.error, 'invalid_grant')
})

test('an answer of the provider for another browser opens no session on the page', async () => {
  const victim = new Browser()
  const attacker = new Browser()
  const { url } = await attacker.visit(`${page}/sign-in/company`, (one) => one.startsWith(`${page}/callback`))
  const refused = await victim.visit(url)
  assert.ok([400, 401, 403].includes(refused.status), String(refused.status))
  const [, back] = /href="([^"]*)">Try again</.exec(refused.text)!
  assert.equal(new URL(back!, url).href, page)
  assert.doesNotMatch(await (await victim.ask(page)).text(), /Enter the code/)
})
