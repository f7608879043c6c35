import type { ChatRequest } from '../../contract/chat.ts'
import type { ThinkingTraits } from '../../contract/model-traits.ts'
import { nearestEffort } from '../effort.ts'
import type { Notes } from '../notes.ts'

type Word = NonNullable<ChatRequest['reasoning_effort']>

/** The word that the model knows; undefined: it is told nothing. */
export function knownEffort(word: Word, how: ThinkingTraits | undefined, notes: Notes): string | undefined {
  const asked = word === 'disable' ? 'none' : word
  if (asked === 'none' && isSilentlyNone(how)) return undefined
  if (how?.by === 'none') return void notes.dropped('reasoning_effort', 'this model does not think')
  const effort = how?.efforts?.length ? nearestEffort(asked, how.efforts) : asked
  if (effort !== word) notes.translated('reasoning_effort', `this model says "${effort}" for "${word}"`)
  return effort
}

/** It has no word for not thinking because it does not think, or not unless told to. */
function isSilentlyNone(how: ThinkingTraits | undefined): boolean {
  if (how?.by === 'none') return true
  return how?.efforts !== undefined && !how.efforts.includes('none') && !how.byDefault && !how.always
}
