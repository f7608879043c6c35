import type { ThinkingTraits } from '../../contract/model-traits.ts'
import type { Asked } from '../asked/asked-fields.ts'
import { effortOf, noteThoughtless, thinkingWish, type ThinkingWish } from '../asked/thinking-wish.ts'
import { nearestEffort } from '../effort.ts'
import type { Notes } from '../notes.ts'
import type { ThinkingConfig, ThinkingLevel } from './wire.ts'

const LEVELS: readonly ThinkingLevel[] = ['minimal', 'low', 'medium', 'high']

/** Tokens as Google's own OpenAI-compatible layer counts them out; the strongest words mean all there are. */
const TOKENS = new Map(Object.entries({ minimal: 1024, low: 1024, medium: 8192, high: 24_576 }))
const MOST_TOKENS = 24_576
/** As many as the model likes. */
const DYNAMIC = -1

const ALWAYS = 'this model always thinks: it was told to think as little as it can'

export function toThinking(asked: Asked, traits: ThinkingTraits | undefined, notes: Notes): ThinkingConfig | undefined {
  const wish = thinkingWish(asked)
  if (!wish) return undefined
  // Every generation takes a budget; only the newer ones take a level. So an unknown model gets a budget.
  const by = traits?.by ?? 'budget'
  if (by === 'none') return void noteThoughtless(asked, wish, notes)
  return by === 'budget' ? toBudget(asked, wish, traits, notes) : toLevel(wish, traits, notes)
}

function toBudget(asked: Asked, wish: ThinkingWish, traits: ThinkingTraits | undefined, notes: Notes): ThinkingConfig {
  const { minTokens = 0, maxTokens = MOST_TOKENS, always } = traits ?? {}
  if (wish.off && !always) return { thinkingBudget: 0 }
  if (wish.off) {
    notes.translated(wish.field, ALWAYS)
    return { thinkingBudget: minTokens, includeThoughts: false }
  }
  if (wish.budget !== undefined && asked.reasoning_effort)
    notes.dropped('reasoning_effort', 'thinking says it more exactly')
  const wanted = wish.budget ?? (wish.effort ? (TOKENS.get(wish.effort) ?? maxTokens) : DYNAMIC)
  const thinkingBudget = wanted === DYNAMIC ? DYNAMIC : Math.min(maxTokens, Math.max(minTokens, wanted))
  if (wish.budget !== undefined && thinkingBudget !== wanted)
    notes.translated(wish.field, `this model thinks between ${minTokens} and ${maxTokens} tokens`)
  return { thinkingBudget, includeThoughts: wish.show ?? true }
}

function toLevel(wish: ThinkingWish, traits: ThinkingTraits | undefined, notes: Notes): ThinkingConfig {
  const known = LEVELS.filter((level) => traits?.efforts?.includes(level) ?? true)
  if (wish.off) {
    notes.translated(wish.field, ALWAYS)
    return { ...(known[0] && { thinkingLevel: known[0] }), includeThoughts: false }
  }
  const includeThoughts = wish.show ?? true
  if (known.length === 0 || (wish.budget === undefined && !wish.effort)) return { includeThoughts }
  // A model with two levels takes the middle for the stronger one.
  const thinkingLevel = nearestEffort(effortOf(wish), known, 'stronger') as ThinkingLevel
  if (thinkingLevel !== wish.effort) notes.translated(wish.field, `this model takes a level: ${thinkingLevel}`)
  return { thinkingLevel, includeThoughts }
}
