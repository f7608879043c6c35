import type { AppContext } from '../app/context.ts'
import { record } from '../audit/record.ts'
import type { Receiver } from '../config/alerts/alerts.ts'
import type { TestAlertReply } from '../contract/admin/alerts.ts'
import { problem } from '../contract/problems.ts'
import { demand, type PeopleContext } from '../people/people-context.ts'
import { webhookHeaders } from '../webhooks/headers.ts'
import { type DeliveryOutcome, outcomeOfFailure, outcomeOfStatus } from '../webhooks/outcome.ts'
import { testEvent } from './alert-event.ts'
import { bytesOf } from './messages.ts'
import { postToReceiver } from './post-to-receiver.ts'
import type { Message } from './receiver-request.ts'

const TIMEOUT_MS = 15_000

type Trying = Pick<AppContext, 'config' | 'send' | 'webhookKeys'> & PeopleContext

/** Sends a test to a receiver once, at once, and says what it answered. */
export async function tryReceiver(name: string, context: Trying): Promise<TestAlertReply> {
  const { config, db, actor, author } = context
  demand(actor, 'alerts.write')
  const receiver = config.alerts.receivers.find((one) => one.name === name)
  if (!receiver) throw problem('not_found', { message: 'The config file has no receiver with this name.' })
  const { verdict, status, error } = await sendTest(receiver, context)
  await record(db, author, { action: 'alert.test', object: `receiver:${name}`, after: { status, error } })
  return { receiver: name, delivered: verdict === 'delivered', status, error }
}

async function sendTest(receiver: Receiver, context: Trying): Promise<DeliveryOutcome> {
  const message = await signedTest(receiver, context)
  try {
    const { status } = await postToReceiver(receiver, message, { send: context.send, timeoutMs: TIMEOUT_MS })
    return outcomeOfStatus(status)
  } catch (error) {
    return outcomeOfFailure(error)
  }
}

async function signedTest({ name }: Receiver, { webhookKeys, newId, now }: Trying): Promise<Message> {
  const signer = webhookKeys()?.signer
  if (!signer)
    throw problem('unavailable', { message: 'The key that signs webhooks is not known yet. Try again shortly.' })
  const id = newId()
  const body = bytesOf(testEvent({ id, receiver: name, now: now() }))
  const timestamp = Math.floor(now() / 1_000)
  const signature = await signer.sign(body)
  const timestampSignature = await signer.signAttempt({ id, timestamp, body })
  return { body, headers: webhookHeaders({ id, signature, keyId: signer.keyId }, { timestamp, timestampSignature }) }
}
