import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { type Received, startReceiver } from '../../fakes/webhook-receiver.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// From calls that are paid by a budget to a receiver of the config file.

const ROUND_MS = 50
const PATH = '/hook'
const BUDGET = { id: 'watched', appliesTo: 'all', limit: 0.001, window: 'total', alerts: [0.5, 0.8] }

let scene: LimitsGateway
let receiver: Awaited<ReturnType<typeof startReceiver>>
before(async () => {
  receiver = await startReceiver()
  const receivers = [{ name: 'ops', format: 'webhook', url: `${receiver.url}${PATH}` }]
  // Alerts compare the clock of the gateway with that of the store.
  scene = await startLimitsGateway({ alertRoundMs: ROUND_MS, now: Date.now }, {}, { config: { alerts: { receivers } } })
  await scene.limit({ budgets: [BUDGET] })
})
after(async () => {
  await scene.close()
  await receiver.stop()
})

const alerts = () => receiver.received.filter(({ body }) => eventIn(body) === 'alert')

test('each fraction of a budget is told to the receivers, once and signed', async () => {
  await spend(300)
  await told(1)
  await spend(150)
  await told(2)
  const summaries = alerts().map(({ body }) => JSON.parse(String(body)).summary as string)
  assert.deepEqual(
    summaries.map((summary) => /budget watched .*has reached (\d+%)/.exec(summary)?.[1]),
    ['50%', '80%'],
    summaries.join(),
  )
  const headers = { authorization: `Bearer ${API_KEY}` }
  const key = await (await fetch(`${scene.gateway.url}/v3/webhooks/public-key`, { headers })).text()
  for (const alert of alerts()) assert.ok(isSigned(alert, key))
})

/** A call that costs two millionths of a dollar for each token. */
async function spend(completion_tokens: number): Promise<void> {
  const usage = { prompt_tokens: 0, completion_tokens, total_tokens: completion_tokens }
  scene.fake.always(answer({ usage }))
  assert.equal((await scene.chat({ max_tokens: completion_tokens })).status, 200)
  await scene.gateway.gateway.services.calls.ledger.flush()
}

async function told(count: number): Promise<void> {
  while (alerts().length < count) await once(receiver.arrivals, PATH)
}

function eventIn(body: Buffer): unknown {
  return (JSON.parse(String(body)) as { event?: unknown }).event
}

function isSigned({ body, headers }: Received, key: string): boolean {
  const digest = Buffer.from(createHash('sha256').update(body).digest('hex'))
  const signature = Buffer.from(String(headers['x-service-signature']), 'hex')
  return verify('RSA-SHA256', digest, createPublicKey(key), signature)
}
