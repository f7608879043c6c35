import type { ChatRequest } from '../../../../contract/chat.ts'
import { cannotTake } from '../../../dialects/cannot-take.ts'
import { isRecord } from '../../../../base/schema/record.ts'

const FIELDS = [
  ...['stop', 'seed', 'presence_penalty', 'frequency_penalty', 'logit_bias'],
  ...['prediction', 'audio', 'modalities'],
] as const

const REASON =
  'this call has to use the responses endpoint of the provider, which has no such field (without tools, or with ' +
  'reasoning_effort "none", many models accept it)'

/** Refuses fields that the responses endpoint does not have, unless their value asks for nothing. */
export function refuseLacking(request: ChatRequest): void {
  for (const field of FIELDS) if (asksFor(request[field])) throw cannotTake([field], REASON)
}

function asksFor(value: unknown): boolean {
  if (value == null || value === 0) return false
  if (Array.isArray(value)) return value.some((one) => one !== 'text' && one !== '')
  return isRecord(value) ? Object.keys(value).length > 0 : value !== ''
}
