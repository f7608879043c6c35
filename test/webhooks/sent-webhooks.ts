import { createPublicKey, randomUUID } from 'node:crypto'
import { openWorker } from '../../src/jobs/worker.ts'
import { submitJob } from '../../src/platform/store/jobs/jobs.ts'
import { openDeliverer } from '../../src/jobs/webhooks/deliverer.ts'
import { prepareDelivery } from '../../src/jobs/webhooks/prepare-delivery.ts'
import { openSigner } from '../../src/jobs/webhooks/signature.ts'
import { timestampPublicKey } from '../../src/jobs/webhooks/timestamp-key.ts'
import { eventLog } from '../fakes/event-log.ts'
import { newJob } from '../fakes/new-job.ts'
import { sharedPrivateKey } from '../fakes/signing-key.ts'
import { newStore } from '../fakes/stores.ts'
import { plainPost, startReceiver } from '../fakes/webhook-receiver.ts'
import type { Case, TimedCase } from './run-snippet.ts'

// Webhooks that were really sent, and what an attacker could change about them.

const OUTPUTS = [
  {},
  { score: 0.9973, items: [], nested: { '10': 1, '9': [null, true, 'a'] } },
  { text: 'é漢😀\u2028\u2029\u007f<>&"\\\b\f\n' },
  { ids: [9_007_199_254_740_991, -1, 0.0001, 123.456], empty: ['', {}, [[]]] },
]

/** Only a receiver that verifies the raw body accepts these, because languages write them differently. */
const AWKWARD = { tiny: 2.49e-6, tinier: 1.49e-7, '😀': 1, ﬁ: 2 }

const privateKey = sharedPrivateKey()
export const key = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
export const webhooks = await deliver([...OUTPUTS, AWKWARD])
export const safe = webhooks.filter(({ body }) => !Buffer.from(body, 'base64').includes('tinier'))
export const tampered = webhooks.flatMap(tamper)
export const { standard, pem } = timestampPublicKey(privateKey)
export const timed = webhooks.map(({ body, headers }): TimedCase => {
  return { body, headers, key: standard, now: Number(headers['webhook-timestamp']) }
})
export const forged = timed.flatMap(forge)

/** How many `forge` makes of one. */
export const FORGERIES = 8

/** Changes the time, id, body, kind of signature or signature, and sets the clock too late or too early. */
function forge(one: TimedCase, index: number): TimedCase[] {
  const { headers, now } = one
  const longer = Buffer.concat([Buffer.from(one.body, 'base64'), Buffer.from('\n')]).toString('base64')
  const other = timed[(index + 1) % timed.length]!.headers['webhook-signature']!
  const signature = headers['webhook-signature']!
  return [
    { ...one, now: now + 301 },
    { ...one, now: now - 301 },
    { ...one, body: longer },
    { ...one, headers: { ...headers, 'webhook-timestamp': String(now + 1) } },
    { ...one, headers: { ...headers, 'webhook-id': `${headers['webhook-id']}1` } },
    { ...one, headers: { ...headers, 'webhook-signature': signature.replace('v1a,', 'v1,') } },
    { ...one, headers: { ...headers, 'webhook-signature': `v1a,!!! ${other} v1a,` } },
    { ...one, headers: { ...headers, 'webhook-signature': 'v1a,' } },
  ]
}

/** The same webhook as if it had been sent at another time. */
export async function signedAt({ body, headers, key }: TimedCase, timestamp: number): Promise<TimedCase> {
  const id = headers['webhook-id']!
  const signature = await openSigner(privateKey).signAttempt({ id, timestamp, body: Buffer.from(body, 'base64') })
  const signed = { ...headers, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
  return { body, headers: signed, key, now: timestamp }
}

/** Changes a bit of the body, adds a space at its end, changes a digit of the signature, or uses another signature. */
function tamper({ body, signature }: Case, index: number): Case[] {
  const flipped = Buffer.from(body, 'base64')
  flipped[index * 7]! ^= 1
  const longer = Buffer.concat([Buffer.from(body, 'base64'), Buffer.from('\n')])
  const other = webhooks[(index + 1) % webhooks.length]!.signature
  return [
    { body: flipped.toString('base64'), signature, key },
    { body: longer.toString('base64'), signature, key },
    { body, signature: signature.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), key },
    { body, signature: other, key },
  ]
}

/** Runs one job for each output, from its submission to its webhook. */
async function deliver(outputs: object[]): Promise<(Case & { headers: Record<string, string> })[]> {
  await using closing = new AsyncDisposableStack()
  const [db, receiver, log] = [await newStore(closing), await startReceiver(), eventLog()]
  closing.defer(receiver.stop)
  const signer = openSigner(privateKey)
  const deliverer = openDeliverer({ db, post: plainPost, signer, log, holdMemory: async () => () => {} })
  closing.defer(deliverer.close)
  const execute = async ({ request }: { request: unknown }) =>
    ({ status: 'success', output: request, cost: null, provider: 'sandbox', model: null }) as const
  const worker = openWorker({
    db,
    log,
    execute,
    prepareDelivery: (announced) => prepareDelivery(announced, { signer, newId: randomUUID }),
    wakeDeliverer: deliverer.wake,
    deadlineMs: 60_000,
    concurrency: 4,
    workerId: 'snippets',
  })
  closing.defer(worker.close)
  const userParameters = '{"name":"Zoë","list":[]}'
  for (const output of outputs)
    await submitJob(db, newJob({ request: output, webhook: { url: receiver.url }, userParameters }))
  worker.wake()
  await log.until('webhook delivered', outputs.length)
  return receiver.received.map(({ body, headers }) => {
    const signature = String(headers['x-service-signature'])
    return { body: body.toString('base64'), signature, key, headers: headers as Record<string, string> }
  })
}
