import type { CallServices } from '../../calls/services/call-services.ts'
import { writeAuditEvents } from '../../tenants/audit/audited.ts'
import type { Receiver } from '../../platform/config/alerts/alerts.ts'
import type { TestAlertReply } from '../../contract/admin/alerts.ts'
import { problem } from '../../contract/problems.ts'
import { demand, type PeopleServices } from '../../tenants/people/people-services.ts'
import { webhookHeaders } from '../webhooks/headers.ts'
import type { Opened } from '../../platform/late.ts'
import { type DeliveryOutcome, outcomeOfFailure, outcomeOfStatus } from '../webhooks/delivery-outcome.ts'
import type { WebhookKeyPair } from '../webhooks/webhook-keys.ts'
import { testEvent } from './alert-event.ts'
import { bytesOf } from './messages.ts'
import { postToReceiver } from './post-to-receiver.ts'
import type { Message } from './receiver-request.ts'

const TIMEOUT_MS = 15_000

type Trying = PeopleServices & { calls: Pick<CallServices, 'config' | 'send'>; webhookKeys: Opened<WebhookKeyPair> }

/** Sends a test to a receiver once, at once, and says what it answered. */
export async function tryReceiver(name: string, services: Trying): Promise<TestAlertReply> {
  const { calls, db, actor, author } = services
  demand(actor, 'alerts.write')
  const receiver = calls.config.alerts.receivers.find((one) => one.name === name)
  if (!receiver) throw problem('not_found', { message: 'The config file has no receiver with this name.' })
  const { verdict, status, error } = await sendTest(receiver, services)
  await writeAuditEvents(db, author, { action: 'alert.test', object: `receiver:${name}`, after: { status, error } })
  return { receiver: name, delivered: verdict === 'delivered', status, error }
}

async function sendTest(receiver: Receiver, services: Trying): Promise<DeliveryOutcome> {
  const message = await signedTest(receiver, services)
  try {
    const { status } = await postToReceiver(receiver, message, { send: services.calls.send, timeoutMs: TIMEOUT_MS })
    return outcomeOfStatus(status)
  } catch (error) {
    return outcomeOfFailure(error)
  }
}

async function signedTest({ name }: Receiver, { webhookKeys, newId, now }: Trying): Promise<Message> {
  const signer = webhookKeys.current?.signer
  if (!signer)
    throw problem('unavailable', { message: 'The key that signs webhooks is not known yet. Try again shortly.' })
  const id = newId()
  const body = bytesOf(testEvent({ id, receiver: name, now: now() }))
  const timestamp = Math.floor(now() / 1_000)
  const signature = await signer.sign(body)
  const timestampSignature = await signer.signAttempt({ id, timestamp, body })
  return { body, headers: webhookHeaders({ id, signature, keyId: signer.keyId }, { timestamp, timestampSignature }) }
}
