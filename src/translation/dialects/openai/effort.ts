import type { ThinkingTraits } from '../model-traits.ts'
import { nearestEffort } from '../effort.ts'
import type { Notes } from '../notes.ts'

/** The effort that the model supports; undefined if nothing is sent. `field` is where the caller set it. */
export function knownEffort(
  word: string,
  how: ThinkingTraits | undefined,
  notes: Notes,
  field: 'reasoning_effort' | 'thinking' = 'reasoning_effort',
): string | undefined {
  const requested = word === 'disable' ? 'none' : word
  if (requested === 'none' && isSilentlyNone(how)) return undefined
  const effort = how?.efforts?.length ? nearestEffort(requested, how.efforts) : requested
  if (effort !== word || field === 'thinking')
    notes.translated(field, `this model uses "${effort}" for ${field === 'thinking' ? 'it' : `"${word}"`}`)
  return effort
}

/** It has no word for not thinking because it does not think, or only on request. */
function isSilentlyNone(how: ThinkingTraits | undefined): boolean {
  if (how?.by === 'none') return true
  return how?.efforts !== undefined && !how.efforts.includes('none') && !how.byDefault && !how.always
}
