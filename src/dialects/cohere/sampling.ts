import { mostTokens, stopTexts } from '../asked/answer-limits.ts'
import type { Asked } from '../asked/asked-fields.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../record.ts'

const MAX_STOPS = 5

const BOUNDED = [
  { field: 'temperature', name: 'temperature', min: 0, max: 1 },
  { field: 'top_p', name: 'p', min: 0.01, max: 0.99 },
  { field: 'frequency_penalty', name: 'frequency_penalty', min: 0, max: 1 },
  { field: 'presence_penalty', name: 'presence_penalty', min: 0, max: 1 },
] as const

export function toSampling(asked: Asked, notes: Notes): Fields {
  const maxTokens = mostTokens(asked)
  const stops = stopsIn(asked, notes)
  return {
    ...boundedFields(asked, notes),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(stops.length > 0 && { stop_sequences: stops }),
    ...(isSeed(asked, notes) && { seed: asked.seed }),
    ...(asked.logprobs && { logprobs: true }),
  }
}

/** Ranges are narrower here: the nearest value is sent. */
function boundedFields(asked: Asked, notes: Notes): Fields {
  const fields: Fields = {}
  for (const { field, name, min, max } of BOUNDED) {
    const value = asked[field]
    if (value === undefined) continue
    fields[name] = Math.min(Math.max(value, min), max)
    // One is what is meant by silence.
    if (fields[name] !== value && !(field === 'top_p' && value === 1))
      notes.translated(field, `Cohere takes ${min} to ${max}`)
  }
  return fields
}

function stopsIn(asked: Asked, notes: Notes): string[] {
  const given = stopTexts(asked)
  if (given.length > MAX_STOPS) notes.translated('stop', `Cohere takes ${MAX_STOPS} stop sequences: the first ones`)
  return given.slice(0, MAX_STOPS)
}

function isSeed({ seed }: Asked, notes: Notes): boolean {
  if (seed === undefined || seed >= 0) return seed !== undefined
  notes.dropped('seed', 'Cohere takes no seed below 0')
  return false
}
