import Type from '../../schema/type.ts'
import type { Tools } from '../feature.ts'
import { askForAnswer, askForJson } from './ask-provider.ts'
import type { Payload } from './payload.ts'
import { abandoned } from './refusal.ts'
import { replyReader } from './reply-reader.ts'
import { ticketId } from './ticket-id.ts'

// What most providers have in common whose tasks are begun, asked after and stopped.

/** Ways to end without a result. */
const OVER = ['failed', 'cancelled']

const readId = replyReader(Type.Object({ id: Type.String() }))

/** Begins a task; what it is asked after by is its ticket. */
export async function startJob(tools: Tools, path: string, payload: Payload): Promise<{ id: string }> {
  const { id } = await askForJson(tools, { path, payload }, readId)
  return { id: ticketId(id) }
}

/** Whether a task is done; one that came to nothing is told. */
export function isDone({ status, error }: { status: string; error?: unknown }, tools: Tools): boolean {
  if (OVER.includes(status)) throw abandoned(tools, status, error)
  return status === 'completed'
}

/** What is under way there goes no further, or is forgotten where nothing stops it. */
export async function stopJob(tools: Tools, path: string): Promise<void> {
  await askForAnswer(tools, { method: 'DELETE', path })
}
