import { maxAnswerTokens, stopTexts } from '../request/answer-limits.ts'
import type { RequestFields } from '../request/request-fields.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'

const MAX_STOPS = 5

const BOUNDED = [
  { field: 'temperature', name: 'temperature', min: 0, max: 1 },
  { field: 'top_p', name: 'p', min: 0.01, max: 0.99 },
  { field: 'frequency_penalty', name: 'frequency_penalty', min: 0, max: 1 },
  { field: 'presence_penalty', name: 'presence_penalty', min: 0, max: 1 },
] as const

export function toSampling(fields: RequestFields, notes: Notes): Fields {
  const maxTokens = maxAnswerTokens(fields)
  const stops = stopsIn(fields, notes)
  return {
    ...boundedFields(fields, notes),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(stops.length > 0 && { stop_sequences: stops }),
    ...(isSeed(fields, notes) && { seed: fields.seed }),
    ...(fields.logprobs && { logprobs: true }),
  }
}

/** Ranges are narrower here: the nearest value is sent. */
function boundedFields(requestFields: RequestFields, notes: Notes): Fields {
  const fields: Fields = {}
  for (const { field, name, min, max } of BOUNDED) {
    const value = requestFields[field]
    if (value === undefined) continue
    fields[name] = Math.min(Math.max(value, min), max)
    // A value of 1 is the same as no value.
    if (fields[name] !== value && !(field === 'top_p' && value === 1))
      notes.translated(field, `Cohere accepts ${min} to ${max}`)
  }
  return fields
}

function stopsIn(fields: RequestFields, notes: Notes): string[] {
  const value = stopTexts(fields)
  if (value.length > MAX_STOPS)
    notes.translated('stop', `Cohere accepts ${MAX_STOPS} stop sequences: the first ones are used`)
  return value.slice(0, MAX_STOPS)
}

function isSeed({ seed }: RequestFields, notes: Notes): boolean {
  if (seed === undefined || seed >= 0) return seed !== undefined
  notes.dropped('seed', 'Cohere does not accept a seed below 0')
  return false
}
