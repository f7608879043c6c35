import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { LOG_SERIALIZERS } from '../../../src/cli/log.ts'
import { loadConfig } from '../../../src/platform/config/config.ts'
import * as fake from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { startReceiver } from '../../fakes/webhook-receiver.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { runHere, temporaryFolder } from '../../gateway/gateway-process.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { taskClient } from '../../gateway/task-client.ts'

// Secrets in a URL are sent to that URL, and shown nowhere else.

const USER = 'canary-user'
const PASSWORD = 'canary/pass@word'
const SECRETS = {
  password: PASSWORD,
  encodedPassword: encodeURIComponent(PASSWORD),
  basic: Buffer.from(`${USER}:${PASSWORD}`).toString('base64'),
  query: 'canary-query-0123456789',
  fragment: 'canary-fragment-0123456789',
  receiver: 'canary-receiver-token',
}
const MESSAGES = [{ role: 'user', content: 'hi' }]
const POLL_MS = 5

function withSecrets(url: string): string {
  const user = `${USER}:${SECRETS.encodedPassword}@`
  return `${url.replace('://', `://${user}`)}?key=${SECRETS.query}&api-version=1#${SECRETS.fragment}`
}

describe('secrets in addresses', () => {
  let provider: FakeProvider
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let gateway: GatewayUnderTest
  let env: Record<string, string>
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  const seen: string[] = []
  before(async () => {
    provider = await startFakeProvider({ everyPath: true })
    receiver = await startReceiver()
    folder = await temporaryFolder()
    const custom = { dialect: 'openai', baseUrl: withSecrets(provider.url), auth: { scheme: 'bearer', env: 'OWN_KEY' } }
    const named = { ...custom, auth: { scheme: 'header', header: 'x-api-key', env: 'OWN_KEY' } }
    const file = join(folder.path, 'config.json')
    await writeFile(file, JSON.stringify({ providers: { own: custom, named } }))
    env = {
      GATEHOUSE_CONFIG: file,
      OPENAI_BASE_URL: withSecrets(provider.url),
      OWN_KEY: 'key-of-the-test-0123456789',
      BEDROCK_BASE_URL: withSecrets(provider.url),
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret-of-the-test',
      ALLOW_NETWORKS: '127.0.0.0/8',
    }
    gateway = await startGateway({ env })
  })
  after(async () => {
    await gateway?.close()
    await provider?.close()
    await receiver?.stop()
    await folder?.remove()
  })

  const SENT: [model: string, authorization: RegExp, apiKey: string | undefined][] = [
    ['openai/gpt-4o', new RegExp(`^Basic ${SECRETS.basic}$`), undefined],
    ['own/m', /^Bearer key-of-the-test-0123456789$/, undefined],
    ['named/m', new RegExp(`^Basic ${SECRETS.basic}$`), 'key-of-the-test-0123456789'],
    ['amazon/anthropic.claude-sonnet-5', /^AWS4-HMAC-SHA256 /, undefined],
  ]

  for (const [model, authorization, apiKey] of SENT)
    test(`${model}: user and query go where the address says, the provider's own proof before the user`, async () => {
      provider.reset()
      const { text } = await ask(model)
      seen.push(text)
      const { path, headers } = provider.requests[0]!
      assert.match(path, /^\/v1\/[^?]+\?key=canary-query-0123456789&api-version=1$/)
      assert.match(headers.authorization!, authorization)
      assert.equal(headers['x-api-key'], apiKey)
    })

  test('a provider that quotes them is not quoted', async () => {
    const words = `${withSecrets('https://x.test/v1')} Basic ${SECRETS.basic} ${Object.values(SECRETS).join(' , ')}`
    for (const status of [400, 401, 404, 429, 500]) {
      provider.reset()
      provider.always(fake.failure(status, { message: words }))
      const { text } = await ask('openai/gpt-4o')
      for (const name of ['password', 'encodedPassword', 'basic', 'query'] as const)
        assert.ok(!text.includes(SECRETS[name]), `${status}: ${text}`)
    }
  })

  test('what the operator is shown', async () => {
    const admin = adminClient(gateway.adminUrl)
    const body = { model: 'openai/gpt-4o', fallbacks: ['own/m', 'named/m'], messages: MESSAGES }
    const explained = await admin.post<{ targets: { request: { url: string } }[] }>('/admin/explain', body)
    assert.deepEqual(
      explained.body.targets.map(({ request }) => request.url),
      Array(3).fill(`${provider.url}/chat/completions?api-version=1`),
    )
    const paths = ['/admin/targets', '/admin/keys', '/admin/usage', '/admin/jobs', '/metrics', '/health/ready']
    for (const path of paths) seen.push(await (await fetch(gateway.adminUrl + path, authorized())).text())
    seen.push(explained.text)
  })

  test('explain answers on the command line', async () => {
    const file = join(folder.path, 'body.json')
    await writeFile(file, JSON.stringify({ model: 'openai/gpt-4o', messages: MESSAGES }))
    const { code, stdout, stderr } = await runHere(['explain', file], { DATA_DIR: folder.data, ...env })
    assert.equal(code, 0, stderr)
    seen.push(stdout, stderr)
  })

  test('deliveries: where a webhook goes, without what its owner put there', async () => {
    const client = taskClient(gateway.url)
    const webhook_receiver = `${receiver.url}/hook?token=${SECRETS.receiver}`
    const job = { model: 'text/moderation/sandbox', input: { text: 'hi' }, webhook_receiver }
    await client.submit(job)
    while (receiver.received.length === 0) await sleep(POLL_MS)
    assert.equal(receiver.received[0]!.path, `/hook?token=${SECRETS.receiver}`)
    const admin = adminClient(gateway.adminUrl)
    const listed = await admin.get<{ items: { id: string; url: string }[] }>('/admin/deliveries')
    const [delivery] = listed.body.items
    assert.equal(delivery!.url, `${receiver.url}/hook?***`)
    const again = await admin.post<{ url: string }>(`/admin/deliveries/${delivery!.id}/redeliver`, {})
    assert.equal(again.body.url, `${receiver.url}/hook?***`)
    while (receiver.received.length < 2) await sleep(POLL_MS)
    assert.equal(receiver.received[1]!.path, `/hook?token=${SECRETS.receiver}`)
    seen.push(listed.text, again.text, (await admin.get('/admin/jobs')).text)
  })

  test('nothing of all that was shown or logged holds one of them', () => {
    const all = [...seen, gateway.logs()]
    assert.ok(all.length > 15 && gateway.logs().length > 1_000)
    for (const [name, secret] of Object.entries(SECRETS))
      for (const text of all) assert.ok(!text.includes(secret), `${name} in ${text.slice(0, 500)}`)
  })

  function authorized() {
    return { headers: { authorization: 'Bearer test-admin-key-of-the-suite' } }
  }

  async function ask(model: string) {
    return await taskClient(gateway.url).post('/v3/chat/completions', { model, messages: MESSAGES })
  }
})

const REFUSED: Record<string, string>[] = [
  { AMAZON_TEXTRACT_BASE_URL: 'https://canary:canary@x.example' },
  { WATSONX_TOKEN_URL: 'https://canary:canary@x.example', WATSONX_API_KEY: 'k', WATSONX_PROJECT_ID: 'p' },
  { PUBLIC_URL: 'https://canary:canary@x.example' },
  { PUBLIC_URL: 'https://x.example/?token=canary' },
  { OPENAI_BASE_URL: 'https://canary:%zzcanary@x.example' },
  { OPENAI_BASE_URL: 'ftp://canary:canary@x.example' },
  { DATABASE_URL: 'postgres://canary:canary@127.0.0.1:99999/x' },
  { ADMIN_HOSTS: 'https://canary:canary@x.example' },
]

describe('addresses that cannot hold a secret are refused, and not quoted', () => {
  for (const environment of REFUSED) {
    const [[name, value]] = Object.entries(environment) as [[string, string]]
    test(`${name}=${value}`, () => {
      assert.throws(
        () => loadConfig({ GATEHOUSE_CONFIG: 'test/gateway/no-config.json', ...environment }),
        (error: Error) => error.message.startsWith(`${name}: `) && !error.message.includes('canary'),
      )
    })
  }
})

test('the log hides secrets of addresses in an error, in its cause and in what hangs on it', () => {
  const lines: string[] = []
  const log = pino({ serializers: LOG_SERIALIZERS }, { write: (line: string) => void lines.push(line) })
  const url = 'postgres://u:canary@word@db.example:5432/x?password=canary#canary'
  const cause = Object.assign(new TypeError(`cannot reach ${url}`), { input: url })
  log.error({ err: new Error('failed', { cause }) }, 'unexpected error')
  log.error({ err: Object.assign(new Error(`at "${url}"`), { input: url, url, options: { url } }) }, 'unexpected error')
  log.error({ error: String(cause), reason: cause.message }, 'webhooks cannot be claimed')
  log.error({ err: url }, 'thrown as a text')
  assert.equal(lines.length, 4)
  for (const line of lines) assert.ok(!line.includes('canary') && line.includes('db.example'), line)
})
