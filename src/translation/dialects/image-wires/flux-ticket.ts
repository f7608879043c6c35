import type { WireRequest } from '../../wire/wire.ts'
import type { ImageStep } from '../image-codec.ts'
import { type Fields, isRecord, listOf, recordOf, textOf } from '../../../base/schema/record.ts'
import { failed, finished, moderated, nonsense, urlItem } from './image-answer.ts'

// The state of a task of Black Forest Labs. Other hosts of their models pass the same states on.

const POLL_MS = 1_000
const RUNNING: ReadonlySet<unknown> = new Set(['Pending', 'Queued', 'Processing', 'Running'])
const MODERATED: ReadonlySet<unknown> = new Set(['Request Moderated', 'Content Moderated'])
const FAILED: ReadonlySet<unknown> = new Set(['Error', 'Failed', 'Task not found'])

export function fluxStep(value: Fields, poll: () => WireRequest): ImageStep {
  const { status, result } = value
  if (status === 'Ready') return finished([urlItem(recordOf(result).sample)])
  if (RUNNING.has(status)) return waiting(poll())
  if (MODERATED.has(status)) throw moderated(reasonIn(value) || `the provider says: ${status}`)
  if (FAILED.has(status)) throw failed(reasonIn(value) || `the provider says: ${status}`)
  throw nonsense('a task in an unknown state')
}

export function waiting(poll: WireRequest): ImageStep {
  return { done: false, poll, afterMs: POLL_MS }
}

/** `details` is text, or a record such as `{"Moderation Reasons": ["…"]}`. */
function reasonIn({ details, result, error }: Fields): string {
  const reason = details ?? recordOf(result).error ?? error
  if (!isRecord(reason)) return textOf(reason)
  const parts = Object.entries(reason).map(([name, value]) => [
    name,
    textOf(value) || listOf(value).map(textOf).join(', '),
  ])
  return parts.map(([name, value]) => `${name}: ${value}`).join('; ')
}
