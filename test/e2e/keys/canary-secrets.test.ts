import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ADMIN_ROUTES } from '../../../src/http/routes/admin-routes.ts'
import { answer, failure, status } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// Every secret that an operator can give to the gateway is one that can be recognized. None of them may be found in the store, in
// the log, in the metrics or in an answer of the admin API.

const canary = (name: string) => `canary${name}0123456789abcdef0123456789`
const SECRETS = {
  openai: `sk-${canary('openai')}`,
  fake: canary('fake'),
  awsId: 'AKIACANARY0123456789',
  awsSecret: canary('awssecret'),
  admin: canary('adminkey'),
  api: canary('apikey'),
  encryption: canary('encryption'),
  oidc: canary('oidcclient'),
  stored: canary('storedcredential'),
}

let provider: FakeProvider
let gateway: GatewayUnderTest
let folder: string
before(async () => {
  provider = await startFakeProvider({ everyPath: true })
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-canary-'))
  const config = join(folder, 'config.json')
  const oidc = { name: 'people', issuer: 'https://127.0.0.1:9', clientId: 'gatehouse', clientSecretEnv: 'OIDC_SECRET' }
  const auth = { scheme: 'bearer', env: 'FAKE_API_KEY' }
  const providers = { fake: { dialect: 'openai', baseUrl: provider.url, auth, models: [{ id: 'm' }] } }
  await writeFile(config, JSON.stringify({ providers, auth: { oidc: [oidc] } }))
  gateway = await startGateway({
    dataDir: join(folder, 'data'),
    env: {
      GATEHOUSE_CONFIG: config,
      GATEHOUSE_API_KEY: SECRETS.api,
      GATEHOUSE_ADMIN_KEY: SECRETS.admin,
      OPENAI_API_KEY: SECRETS.openai,
      OPENAI_BASE_URL: provider.url,
      FAKE_API_KEY: SECRETS.fake,
      AWS_ACCESS_KEY_ID: SECRETS.awsId,
      AWS_SECRET_ACCESS_KEY: SECRETS.awsSecret,
      GATEHOUSE_ENCRYPTION_KEY: SECRETS.encryption,
      OIDC_SECRET: SECRETS.oidc,
    },
  })
})
after(async () => {
  await provider.close()
  await rm(folder, { recursive: true })
})

test('no secret is in the store, the log, the metrics or an answer of the admin API', async () => {
  const stored = await admin('POST', '/admin/credentials', { provider: 'openai', name: 'more', secret: SECRETS.stored })
  assert.ok(stored.status < 300, await stored.text())
  const models = { 'fake/m': [SECRETS.fake], 'openai/gpt-4o-mini': [SECRETS.openai, SECRETS.stored] }
  for (const [model, keys] of Object.entries(models)) {
    // A provider may repeat the key that it refuses.
    const repeatsKeys = failure(401, { message: `Incorrect API key provided: ${keys.join(', ')}.` })
    for (const behaviour of [answer(), repeatsKeys, status(500, {})]) {
      provider.always(behaviour)
      const messages = [{ role: 'user', content: 'Hello!' }]
      await (await call('/v3/chat/completions', { model, messages })).text()
      await ended(await call('/v3/responses', { model, input: 'Hello!', background: true }))
    }
  }
  assert.ok(provider.requests.length > 5)
  const places: [string, string][] = []
  for (const { method, path } of ADMIN_ROUTES)
    if (method === 'GET' && path.startsWith('/admin/') && !path.includes('{') && !/live|export|backup/.test(path))
      places.push([path, await (await admin('GET', path)).text()])
  assert.ok(places.length > 15, `${places.length}`)
  places.push(['/metrics', await (await admin('GET', '/metrics')).text()])
  await gateway.close()
  places.push(['the log', gateway.logs()], ...tablesOf(join(folder, 'data', 'gatehouse.db')))
  const found = places.flatMap(([place, text]) =>
    Object.entries(SECRETS).flatMap(([name, secret]) => (text.includes(secret) ? [`${name} in ${place}`] : [])),
  )
  assert.deepEqual(found, [])
})

/** All texts and bytes of every table. */
function tablesOf(file: string): [string, string][] {
  const db = new DatabaseSync(file, { readOnly: true })
  const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  const tables = names.map(({ name }): [string, string] => {
    const rows = db.prepare(`SELECT * FROM "${name}"`).all()
    const texts = rows.flatMap((row) => Object.values(row).map(textOf))
    return [`the table ${name}`, texts.join('\n')]
  })
  db.close()
  assert.ok(tables.length > 20)
  return tables
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)
}

/** The provider answers the next model with other keys. */
async function ended(created: Response): Promise<void> {
  const { id } = (await created.json()) as { id: string }
  for (let status = 'queued'; status === 'queued' || status === 'in_progress'; await sleep(20)) {
    const reply = await fetch(`${gateway.url}/v3/responses/${id}`, { headers: OF_CALLER })
    status = ((await reply.json()) as { status: string }).status
  }
}

const OF_CALLER = { authorization: `Bearer ${SECRETS.api}`, 'content-type': 'application/json' }

function call(path: string, body: object): Promise<Response> {
  return fetch(gateway.url + path, { method: 'POST', headers: OF_CALLER, body: JSON.stringify(body) })
}

function admin(method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${SECRETS.admin}`, 'content-type': 'application/json' }
  return fetch(gateway.adminUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}
