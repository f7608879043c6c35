import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { polyglot } from '../../fakes/polyglot/polyglot.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { type GatewayProcess, PROGRAM, startReadyProcess } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY } from '../../gateway/gateway-under-test.ts'
import { type Client, operator } from '../../gateway/people-under-test.ts'
import { Browser } from '../../sign-in/browser.ts'
import { startProvider } from '../../sign-in/real-provider.ts'

// A gateway with an OpenID provider and a scripted provider of models, which can be restarted at the same address.

const KEY = 'sk-polyglot-0123456789abcdef'
const AWS = { accessKeyId: 'AKIAFAKE', secretAccessKey: 'secret', sessionToken: 'session', region: 'eu-west-3' }
export const PERSON = 'ada@acme.example'

export type Scene = {
  url: string
  admin: Client
  /** Opens the page of the code in a browser, signs in with the OpenID provider, types the code and confirms. */
  confirm(code: string): Promise<void>
  /** Tells the gateway that the person has signed out at the OpenID provider. */
  signOutAtProvider(): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

export async function openScene(folder: string): Promise<Scene> {
  const [fake, people] = await Promise.all([startFakeProvider({ everyPath: true }), startProvider({ inToken: true })])
  fake.always(polyglot({ key: KEY, aws: AWS }))
  people.account = { sub: 'ada', claims: { email: PERSON, email_verified: true, name: 'Ada' } }
  const GATEHOUSE_CONFIG = join(folder, 'gateway.json')
  const entry = { name: 'company', issuer: people.url, clientId: 'gatehouse', clientSecretEnv: 'CLIENT_SECRET' }
  const oidc = [{ ...entry, default: { role: 'member', project: 'default' } }]
  await writeFile(GATEHOUSE_CONFIG, JSON.stringify({ agents: { signIn: true }, auth: { oidc } }))
  const base = fake.url.replace(/\/v1$/, '')
  const [PORT, ADMIN_PORT] = [await freePort(), await freePort()]
  const start = () =>
    startReadyProcess({
      GATEHOUSE_CONFIG,
      CLIENT_SECRET: 'secret-of-the-client',
      PORT,
      ADMIN_PORT,
      DATA_DIR: join(folder, 'data'),
      GATEHOUSE_ADMIN_KEY: ADMIN_KEY,
      GATEHOUSE_ENCRYPTION_KEY: 'an-encryption-key-of-thirty-two-characters',
      OPENAI_BASE_URL: `${base}/v1`,
      OPENAI_API_KEY: KEY,
      ANTHROPIC_BASE_URL: `${base}/v1`,
      ANTHROPIC_API_KEY: KEY,
      GEMINI_BASE_URL: `${base}/v1beta`,
      GEMINI_API_KEY: KEY,
    })
  await mkdir(join(folder, 'data'), { recursive: true })
  let gateway: GatewayProcess = await start()
  people.open([gateway.adminUrl], ['company'], [`${gateway.url}/v3/device/callback`])
  await putOnPath(folder)
  const { url } = gateway
  return {
    url,
    admin: operator(gateway),
    confirm: (code) => confirm(url, code),
    signOutAtProvider: () => people.logOut('ada'),
    restart: async () => {
      await gateway.stop()
      gateway = await start()
    },
    close: async () => {
      await gateway.stop()
      await Promise.all([fake.close(), people.close()])
    },
  }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}

/** `gatehouse` as it is installed on the machine of a developer. */
async function putOnPath(folder: string): Promise<void> {
  const file = join(folder, 'bin', 'gatehouse')
  await mkdir(join(folder, 'bin'), { recursive: true })
  await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`)
  await chmod(file, 0o755)
}

async function confirm(url: string, code: string): Promise<void> {
  const browser = new Browser()
  const page = `${url}/v3/device`
  const entered = await browser.visit(`${page}/sign-in/company`)
  if (entered.status !== 200) throw new Error(`The page answers ${entered.status}: ${entered.text}`)
  const asked = await post(browser, page, { step: 'code', code })
  const [, project] = /name="project" value="([^"]*)"/.exec(asked) ?? []
  const end = await post(browser, page, { step: 'decide', decision: 'confirm', code, project: project ?? 'default' })
  if (!end.includes('<h1>Done</h1>')) throw new Error(`The page does not confirm: ${end}`)
}

async function post(browser: Browser, page: string, form: Record<string, string>): Promise<string> {
  const headers = { origin: new URL(page).origin, 'sec-fetch-site': 'same-origin' }
  const answer = await browser.ask(page, { method: 'POST', headers, body: new URLSearchParams(form) })
  return await answer.text()
}
