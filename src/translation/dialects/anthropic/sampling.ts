import { stopTexts } from '../request/answer-limits.ts'
import type { RequestFields } from '../request/request-fields.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import type { MessagesBody } from './messages-body.ts'

type Sampling = Pick<MessagesBody, 'temperature' | 'top_p' | 'stop_sequences'>

const MAX_TEMPERATURE = 1

export function sampling(fields: RequestFields, thinks: boolean, notes: Notes): Sampling {
  const stops = stopSequences(fields, notes)
  const probability = thinks ? fixedByThinking(fields, notes) : probabilityOf(fields, notes)
  return { ...probability, ...(stops.length > 0 && { stop_sequences: stops }) }
}

function probabilityOf({ temperature, top_p }: RequestFields, notes: Notes): Sampling {
  if (temperature === undefined) return top_p === undefined ? {} : { top_p }
  if (top_p !== undefined) notes.dropped('top_p', 'this provider accepts either this field or temperature')
  if (temperature > MAX_TEMPERATURE)
    notes.translated('temperature', `this provider accepts values up to ${MAX_TEMPERATURE}`)
  return { temperature: Math.min(temperature, MAX_TEMPERATURE) }
}

function fixedByThinking(requestFields: RequestFields, notes: Notes): Sampling {
  const fields: Fields = requestFields
  for (const field of ['temperature', 'top_p', 'top_k'])
    if (fields[field] !== undefined) notes.dropped(field, 'a model that thinks does not accept this field')
  return {}
}

function stopSequences(fields: RequestFields, notes: Notes): string[] {
  const all = stopTexts(fields)
  const visible = all.filter((text) => /\S/.test(text))
  if (visible.length < all.length) notes.dropped('stop', 'this provider does not stop at white space alone')
  return visible
}
