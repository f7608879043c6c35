import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { postToReceivers } from '../../src/jobs/alerts/post-to-receiver.ts'
import { CLI } from '../../src/tenants/audit/author.ts'
import { readCheckpoint, signatureCheck } from '../../src/tenants/audit/checkpoints.ts'
import { writeAuditEvents } from '../../src/tenants/audit/audited.ts'
import { verifyAudit } from '../../src/tenants/audit/verify.ts'
import { openCheckpoints } from '../../src/server/audit-checkpoints.ts'
import type { Receiver } from '../../src/platform/config/alerts/alerts.ts'
import { openUpstream } from '../../src/platform/net/upstream.ts'
import type { Database } from '../../src/platform/store/database.ts'
import { claimDeliveries } from '../../src/platform/store/deliveries/deliveries.ts'
import { listDeliveries } from '../../src/platform/store/deliveries/watched-deliveries.ts'
import { openDeliverer } from '../../src/jobs/webhooks/deliverer.ts'
import { PATIENT_DELAYS_MS } from '../../src/jobs/webhooks/schedule.ts'
import { openSigner } from '../../src/jobs/webhooks/signature.ts'
import { timestampPublicKey } from '../../src/jobs/webhooks/timestamp-key.ts'
import { limit, receiverOf, roundsOn } from '../fakes/alert-rounds.ts'
import { eventLog } from '../fakes/event-log.ts'
import { sharedPrivateKey } from '../fakes/signing-key.ts'
import { onBothStores } from '../fakes/stores.ts'
import { type Received, startReceiver } from '../fakes/webhook-receiver.ts'
import { HOUR_MS } from '../../src/base/units/units.ts'

// Messages to the operator's receivers: what was written arrives, whatever happens to processes and receivers meanwhile.

const privateKey = sharedPrivateKey()
const publicKey = createPublicKey(privateKey)
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const signer = openSigner(privateKey)
const timestampKey = timestampPublicKey(privateKey)

/** Not with our own code: RSA over the text of the hex digest of the raw body. */
function isSigned({ headers, body }: Received): boolean {
  const digest = createHash('sha256').update(body).digest('hex')
  return verify(
    'RSA-SHA256',
    Buffer.from(digest),
    publicKey,
    Buffer.from(String(headers['x-service-signature']), 'hex'),
  )
}

/** The second signature, of Standard Webhooks: Ed25519 over the id, the time and the body. */
function isSignedWithTime({ headers, body }: Received): boolean {
  const [, signature] = String(headers['webhook-signature']).split('v1a,')
  const content = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body])
  return verify(null, content, createPublicKey(timestampKey.pem), Buffer.from(signature!, 'base64'))
}

await onBothStores('messages of alerts', ({ one, other }) => {
  const upstream = openUpstream()
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let status = 200
  let receivers: Receiver[] = []
  before(async () => {
    receiver = await startReceiver((response) => void response.writeHead(status, { location: '/elsewhere' }).end())
  })
  after(async () => {
    await receiver.stop()
    await upstream.close()
  })
  beforeEach(() => {
    status = 200
    receiver.received.length = 0
    receivers = [receiverOf({ url: `${receiver.url}/hook` })]
  })

  /** A process that finds a reason for an alert, and dies before it sends anything. */
  async function alertWritten(db: Database, id: string) {
    await db.query(
      `INSERT INTO limit_windows (limit_id, bucket, window_start, spent, forgiven, changes)
      VALUES ($1, '', 0, 9000000000, 0, 0)`,
      [id],
    )
    const limits = () => [limit({ id, window: 'total', alerts: [0.8] })]
    const rounds = roundsOn(db, { limits, signer: () => signer, settings: () => ({ receivers, rules: {} }) })
    await rounds.run()
    await rounds.close()
  }

  function delivererOn(db: Database, delaysMs?: number[]) {
    const log = eventLog()
    const deliverer = openDeliverer({
      db,
      log,
      signer,
      holdMemory: async () => () => {},
      timing: { pollMs: 10 },
      ...(delaysMs && { delaysMs }),
      post: postToReceivers({ send: () => upstream.send, receivers: () => receivers }),
    })
    return { log, deliverer }
  }

  test('what one process wrote before it died, others send, once, with a signature that receivers can verify', async () => {
    await alertWritten(one, 'died')
    const senders = [delivererOn(one), delivererOn(other)]
    await Promise.race(senders.map(({ log }) => log.until('webhook delivered')))
    await Promise.all(senders.map(({ deliverer }) => deliverer.close()))
    const [message, ...again] = receiver.received
    assert.deepEqual(again, [])
    assert.ok(isSigned(message!) && isSignedWithTime(message!))
    const { rule, status: told, summary } = JSON.parse(String(message!.body))
    assert.deepEqual(
      [rule, told, summary],
      ['budget', 'firing', 'The budget died (all callers) has reached 80% of 10 USD.'],
    )
  })

  test('a process that died in the middle of sending is replaced when its claim has ended', async () => {
    await alertWritten(one, 'claimed')
    const [claimed] = await claimDeliveries(one, { limit: 1, leaseMs: 60_000, perReceiver: 4 })
    assert.equal(claimed!.url, 'receiver:ops')
    await one.query('UPDATE deliveries SET next_at = 0, lease_until = 0')
    const { log, deliverer } = delivererOn(other)
    await log.until('webhook delivered')
    await deliverer.close()
    assert.equal(receiver.received.length, 1)
  })

  test('a receiver that is away for an hour, or for days, gets it when it is back', async () => {
    assert.ok(PATIENT_DELAYS_MS.reduce((sum, ms) => sum + ms, 0) > 48 * HOUR_MS)
    await alertWritten(one, 'away')
    status = 503
    const { log, deliverer } = delivererOn(one)
    for (let attempt = 1; attempt <= 9; attempt++) {
      await log.until('webhook will be tried again', attempt)
      status = attempt === 9 ? 200 : [503, 404, 429][attempt % 3]!
      // The time of the next attempt comes.
      await one.query('UPDATE deliveries SET next_at = 0')
      deliverer.wake()
    }
    await log.until('webhook delivered')
    await deliverer.close()
    const [first] = receiver.received
    assert.equal(receiver.received.length, 10)
    assert.ok(
      receiver.received.every(
        ({ headers, body }) => headers['webhook-id'] === first!.headers['webhook-id'] && body.equals(first!.body),
      ),
    )
  })

  test('a redirect is not followed, and a receiver that the config file has no more gets nothing', async () => {
    await alertWritten(one, 'redirect')
    status = 307
    const { log, deliverer } = delivererOn(one)
    await log.until('webhook given up')
    receivers = []
    await one.query("UPDATE deliveries SET state = 'pending', settled_at = NULL, next_at = 0")
    deliverer.wake()
    await log.until('webhook given up', 2)
    await deliverer.close()
    assert.deepEqual(
      receiver.received.map(({ path }) => path),
      ['/hook'],
    )
    const { items } = await listDeliveries(one, { limit: 9 })
    assert.equal(items[0]!.lastError, 'The config file has no receiver with this name.')
    assert.ok(!JSON.stringify(log.lines).includes('/hook'))
  })

  test('a checkpoint of the audit log is sent to the receivers that want it, and verifies the log as it was received', async () => {
    receivers = [receiverOf({ url: `${receiver.url}/hook`, checkpoints: true }), receiverOf({ name: 'not-me' })]
    await writeAuditEvents(one, CLI, { action: 'key.create', object: 'key:1' })
    const needs = { signer: () => signer, now: Date.now, newId: () => crypto.randomUUID(), wakeDeliverer: () => {} }
    const log = { ...eventLog(), debug: () => {} } as never
    const both = [one, other].map((db) => openCheckpoints({ ...needs, db, log, receivers: () => receivers }))
    await Promise.all(both.map((checkpoints) => checkpoints.close()))
    const sender = delivererOn(other)
    await sender.log.until('webhook delivered')
    await sender.deliverer.close()
    assert.equal(receiver.received.length, 1)
    assert.ok(isSigned(receiver.received[0]!))
    const body = JSON.parse(String(receiver.received[0]!.body))
    assert.equal(body.event, 'audit_checkpoint')
    const shipped = readCheckpoint(body)!
    assert.deepEqual((await verifyAudit(one, signatureCheck([pem]), [shipped])).faults, [])
    const forged = { ...shipped, seq: shipped.seq + 1 }
    assert.match((await verifyAudit(one, signatureCheck([pem]), [forged])).faults[0]!.fault, /signature/)
  })
})
