import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { withSharedKey } from '../../fakes/signing-key.ts'
import { startReceiver } from '../../fakes/webhook-receiver.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { runHere, temporaryFolder } from '../../gateway/gateway-process.ts'
import { type Client, operator } from '../../gateway/people-under-test.ts'

// Alerts from a call to the receivers, with two gateways on one store.

const ROUND_MS = 100
const folder = await temporaryFolder()
const file = join(folder.path, 'gatehouse.config.json')
const dataDir = join(folder.path, 'data')
let receiver: Awaited<ReturnType<typeof startReceiver>>
const gateways: GatewayUnderTest[] = []
let admin: Client
let env: Record<string, string>

const rateLimit = { id: 'calls', appliesTo: 'all', unit: 'requests', limit: 4, window: 'total', alerts: [0.5] }

before(async () => {
  receiver = await startReceiver()
  env = {
    GATEHOUSE_CONFIG: file,
    SLACK_URL: `${receiver.url}/canary-slack`,
    TEAMS_URL: `${receiver.url}/canary-teams`,
    PAGER_KEY: 'canary-pager',
  }
  await writeFile(file, JSON.stringify({ alerts: { receivers: receivers() }, rateLimits: [rateLimit] }))
  for (let process = 0; process < 2; process++)
    gateways.push(await startGateway({ env, dataDir, overrides: { alertRoundMs: ROUND_MS } }))
  admin = operator(gateways[0]!)
})
after(async () => {
  for (const gateway of gateways) await gateway.close()
  await receiver.stop()
  await folder.remove()
})

function receivers() {
  return [
    { name: 'ops', format: 'webhook', url: `${receiver.url}/canary-hook`, checkpoints: true },
    { name: 'chat', format: 'slack', urlEnv: 'SLACK_URL' },
    { name: 'teams', format: 'teams', urlEnv: 'TEAMS_URL' },
    { name: 'on-call', format: 'pagerduty', routingKeyEnv: 'PAGER_KEY', url: `${receiver.url}/pager` },
    { name: 'broken', format: 'webhook', url: `${receiver.url}/302`, rules: ['error_rate'] },
    { name: 'unreachable', format: 'webhook', url: 'http://127.0.0.1:9/', rules: ['error_rate'] },
  ]
}

const arrived = (path: string) => receiver.received.filter((one) => one.path === path)
const bodiesAt = (path: string) => arrived(path).map(({ body }) => JSON.parse(String(body)))
const alertsAt = (path: string) => bodiesAt(path).filter(({ event }) => event === 'alert')

test('two gateways tell each receiver once, in its own format', async () => {
  const paths = ['/canary-slack', '/canary-teams', '/pager']
  const all = paths.map((path) => once(receiver.arrivals, path))
  for (let call = 0; call < 2; call++) await chat(gateways[call]!)
  await Promise.all(all)
  while (alertsAt('/canary-hook').length === 0) await once(receiver.arrivals, '/canary-hook')
  const [alert] = alertsAt('/canary-hook')
  assert.equal(alert.summary, 'The rate limit calls (all callers) has reached 50% of 4 requests.')
  assert.match(bodiesAt('/canary-slack')[0].text, /^Alert: Rate limit\. The rate limit calls/)
  assert.equal(bodiesAt('/canary-teams')[0].attachments[0].content.type, 'AdaptiveCard')
  const [{ routing_key, dedup_key, event_action }] = bodiesAt('/pager')
  assert.deepEqual([routing_key, dedup_key, event_action], ['canary-pager', alert.alert_id, 'trigger'])
  await rounds()
  for (const path of [...paths, '/canary-hook'])
    assert.equal(arrived(path).filter((one) => isAlert(one.body)).length, 1)
})

test('the webhook is signed with the key that the gateway publishes', async () => {
  const { headers, body } = arrived('/canary-hook').find((one) => isAlert(one.body))!
  const answer = await fetch(`${gateways[1]!.url}/v3/webhooks/public-key`, {
    headers: { authorization: `Bearer ${API_KEY}` },
  })
  const key = createPublicKey(await answer.text())
  const digest = Buffer.from(createHash('sha256').update(body).digest('hex'))
  assert.ok(verify('RSA-SHA256', digest, key, Buffer.from(String(headers['x-service-signature']), 'hex')))
  assert.ok(!('x-service-signature' in arrived('/canary-slack')[0]!.headers))
})

test('alerts, rules and receivers in the admin API; an alert is taken on once', async () => {
  const { body } = await admin('GET', '/admin/alerts?state=open&rule=rate_limit&limit=1')
  assert.equal(body.items.length, 1)
  const { id, state, details, acknowledged_at } = body.items[0]
  assert.deepEqual([state, acknowledged_at, details.limit_id, details.limit], ['open', null, 'calls', 4])
  const taken = await admin('POST', `/admin/alerts/${id}/acknowledge`)
  assert.deepEqual([taken.status, taken.body.acknowledged_by], [200, 'admin_key'])
  assert.deepEqual((await admin('POST', `/admin/alerts/${id}/acknowledge`)).body, taken.body)
  const unknown = await admin('POST', '/admin/alerts/00000000-0000-4000-8000-000000000000/acknowledge')
  assert.equal(unknown.status, 404)
  assert.deepEqual((await admin('GET', '/admin/alerts?rule=budget')).body.items, [])
  for (const query of ['state=over', 'rule=x', 'cursor=x', 'from=yesterday'])
    assert.equal((await admin('GET', `/admin/alerts?${query}`)).status, 422, query)
  const { body: described } = await admin('GET', '/admin/alerts/rules')
  assert.equal(described.rules.length, 12)
  assert.deepEqual(described.receivers[1], {
    name: 'chat',
    format: 'slack',
    url: `${receiver.url}/***`,
    rules: null,
    checkpoints: false,
  })
})

test('a test really sends, and says what the receiver answered', async () => {
  const tried = async (name: string) => (await admin('POST', '/admin/alerts/test', { receiver: name })).body
  assert.deepEqual(await tried('ops'), { receiver: 'ops', delivered: true, status: 200, error: null })
  assert.equal(alertsAt('/canary-hook').at(-1).status, 'test')
  assert.equal((await tried('on-call')).delivered, true)
  assert.equal(bodiesAt('/pager').at(-1).payload.severity, 'info')
  const redirected = await tried('broken')
  assert.deepEqual([redirected.delivered, redirected.status], [false, 302])
  assert.equal(arrived('/200').length, 0, 'the redirect was not followed')
  assert.match((await tried('unreachable')).error, /could not be reached/)
  assert.equal((await admin('POST', '/admin/alerts/test', { receiver: 'x' })).status, 404)
})

test('fractions of limits of the admin API are told too, and can be changed', async () => {
  const budget = { id: 'made', applies_to: 'project:unknown', limit: 5, window: 'month', alerts: [1, 0.5] }
  const made = await admin('POST', '/admin/budgets', budget)
  assert.deepEqual([made.status, made.body.alerts], [201, [0.5, 1]])
  assert.equal((await admin('PATCH', '/admin/budgets/made', { alerts: [2] })).status, 422)
  assert.equal((await admin('PATCH', '/admin/budgets/made', { alerts: null })).body.alerts, undefined)
  await admin('DELETE', '/admin/budgets/made')
})

test('no caller can name a receiver of the operator', async () => {
  const task = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }
  for (const webhook_receiver of ['receiver:ops', 'receiver://ops', ' receiver:ops']) {
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ ...task, webhook_receiver })
    const answer = await fetch(`${gateways[0]!.url}/v3/universal-ai/async`, { method: 'POST', headers, body })
    assert.equal(answer.status, 422, webhook_receiver)
  }
})

test('a gateway that starts later tells nothing again', async () => {
  const third = await startGateway({ env, dataDir, overrides: { alertRoundMs: ROUND_MS } })
  await rounds()
  await third.close()
  assert.equal(alertsAt('/canary-hook').filter(({ status }) => status === 'firing').length, 1)
})

test('the checkpoint of that start was sent, and the command verifies the log with the body as it was received', async () => {
  while (!bodiesAt('/canary-hook').some(isCheckpoint)) await once(receiver.arrivals, '/canary-hook')
  const received = arrived('/canary-hook').find(({ body }) => isCheckpoint(JSON.parse(String(body))))!
  const saved = join(folder.path, 'received.json')
  await writeFile(saved, received.body)
  const { code, stderr } = await runHere(['audit', 'verify', '--checkpoint', saved], {
    ...withSharedKey(),
    ...env,
    DATA_DIR: dataDir,
  })
  assert.match(`${code} ${stderr}`, /^0 \d+ rows, \d+ checkpoints, no fault/)
})

test('a reload adds a receiver and switches a rule off, which ends its alerts', async () => {
  const changed = { receivers: [...receivers(), { name: 'new', format: 'webhook', url: `${receiver.url}/new` }] }
  const rules = { rate_limit: { on: false } }
  await writeFile(file, JSON.stringify({ alerts: { ...changed, rules }, rateLimits: [rateLimit] }))
  const resolved = once(receiver.arrivals, '/new')
  for (const gateway of gateways) await gateway.gateway.services.operations.reloadConfig()
  await resolved
  const [{ status, rule }] = bodiesAt('/new')
  assert.deepEqual([status, rule], ['resolved', 'rate_limit'])
  await writeFile(file, JSON.stringify({ alerts: { receivers: [{ name: 'x', format: 'slack' }] } }))
  await assert.rejects(
    gateways[0]!.gateway.services.operations.reloadConfig(),
    /alerts\.receivers\.0\.url: Field required/,
  )
})

test('doctor lists the receivers, and names a secret that is missing', async () => {
  await writeFile(file, JSON.stringify({ alerts: { receivers: receivers() } }))
  const free = { ...env, DATA_DIR: dataDir, PORT: '0', ADMIN_PORT: '0' }
  assert.match((await runHere(['doctor'], free)).stdout, /^ok +alerts +receivers: ops \(webhook\), chat \(slack\), /m)
  const missing = await runHere(['doctor'], { ...free, PAGER_KEY: '' })
  assert.match(
    missing.stdout,
    /^failed +config +alerts\.receivers\.3\.routingKeyEnv: the variable PAGER_KEY is not set/m,
  )
  await writeFile(file, JSON.stringify({ rateLimits: [rateLimit] }))
  assert.match((await runHere(['doctor'], free)).stdout, /^warning +alerts +No receiver gets the alerts of calls/m)
})

test('no secret of a receiver is in a log, an answer, the audit log or the store', async () => {
  const answers = await Promise.all(
    ['alerts', 'alerts/rules', 'deliveries', 'audit', 'config'].map((path) => admin('GET', `/admin/${path}`)),
  )
  const { db } = gateways[0]!.gateway.services.calls
  const rows = [await db.query('SELECT * FROM deliveries'), await db.query('SELECT details, summary FROM alerts')]
  const bodies = (await db.query<{ body: Uint8Array }>('SELECT body FROM delivery_bodies')).map(({ body }) =>
    String(body),
  )
  assert.ok(answers.every(({ status }) => status === 200))
  const text =
    JSON.stringify([answers.map(({ body }) => body), rows, bodies]) + gateways.map(({ logs }) => logs()).join('')
  assert.ok(text.includes('receiver:on-call') && !text.includes('canary'))
  const { body } = await admin('GET', '/admin/audit?action=alert.test')
  assert.deepEqual(body.items[0].after, { status: null, error: 'The receiver could not be reached.' })
})

async function chat({ url }: GatewayUnderTest) {
  const body = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello!' }] })
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/v3/chat/completions`, { method: 'POST', headers, body })
  assert.equal(answer.status, 200)
}

/** Waits until the rules were looked at twice more: the lease is renewed with every look. */
async function rounds() {
  const { db } = gateways[0]!.gateway.services.calls
  const until = async () =>
    (await db.query<{ until: number }>("SELECT until FROM leases WHERE name = 'alerts'"))[0]?.until ?? 0
  for (let look = 0, last = await until(); look < 2; ) {
    await sleep(ROUND_MS / 2)
    const next = await until()
    if (next > last) look++
    last = next
  }
}

function isCheckpoint({ event }: { event?: string }): boolean {
  return event === 'audit_checkpoint'
}

function isAlert(body: Buffer): boolean {
  return !isCheckpoint(JSON.parse(String(body)))
}
