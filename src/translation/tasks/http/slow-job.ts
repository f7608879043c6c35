import Type from '../../../base/schema/type.ts'
import type { Tools } from '../feature.ts'
import { askForAnswer, askForJson } from './ask-provider.ts'
import type { Payload } from './payload.ts'
import { abandoned } from './refusal.ts'
import { replyReader } from './reply-reader.ts'
import { ticketId } from './ticket-id.ts'

// The common part of providers whose tasks are started, polled and stopped.

/** States of a task that ended without a result. */
const OVER = ['failed', 'cancelled']

const readId = replyReader(Type.Object({ id: Type.String() }))

/** Starts a task; the ticket is the id to poll with. */
export async function startJob(tools: Tools, path: string, payload: Payload): Promise<{ id: string }> {
  const { id } = await askForJson(tools, { path, payload }, readId)
  return { id: ticketId(id) }
}

/** Polls a task; throws if it failed. */
export function isDone({ status, error }: { status: string; error?: unknown }, tools: Tools): boolean {
  if (OVER.includes(status)) throw abandoned(tools, status, error)
  return status === 'completed'
}

/** Stops a task, or deletes it if the provider cannot stop it. */
export async function stopJob(tools: Tools, path: string): Promise<void> {
  await askForAnswer(tools, { method: 'DELETE', path })
}
