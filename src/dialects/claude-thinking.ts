import type { ThinkingTraits } from '../contract/model-traits.ts'
import type { Asked } from './asked/asked-fields.ts'
import { budgetOf, effortOf, noteThoughtless, thinkingWish, type ThinkingWish } from './asked/thinking-wish.ts'
import { nearestEffort } from './effort.ts'
import type { Notes } from './notes.ts'
import type { Fields } from './record.ts'

// How Claude is told to think, on whatever wire it is asked. A model of which nothing is known is taken for one of the
// newer kind, which thinks as it sees fit (adaptive).

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export type ThinkingConfig =
  | { type: 'enabled'; budget_tokens: number; display?: 'summarized' | 'omitted' }
  | { type: 'adaptive'; display?: 'summarized' | 'omitted' }
  | { type: 'disabled' }
  | { type: 'between_tools' }

export type ClaudeThinking = { config?: ThinkingConfig; effort?: Effort }

type How = ThinkingTraits | undefined

export const LEAST_BUDGET_TOKENS = 1024
const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max']

export function claudeThinking(asked: Asked, how: How, notes: Notes): ClaudeThinking {
  const wish = thinkingWish(asked)
  if (!wish) return {}
  if (how?.by === 'none') {
    noteThoughtless(asked, wish, notes)
    return {}
  }
  if (wish.off) return off(wish, how, notes)
  if (asked.thinking && isOwnWords(asked.thinking, how)) return asGiven(asked.thinking, wish, how, notes)
  return how?.by === 'budget' ? withBudget(asked, wish, how, notes) : adaptive(wish, how, notes)
}

export function isThinking(config: ThinkingConfig | undefined): boolean {
  return config !== undefined && config.type !== 'disabled'
}

/** Thinking within a budget goes neither with a forced tool nor with a tool turn that lost its thoughts: it yields. */
export function withoutConflicts(
  { config, ...rest }: ClaudeThinking,
  { forced, unsigned }: { forced: boolean; unsigned: boolean },
  notes: Notes,
): ClaudeThinking {
  const reason = forced ? FORCED : unsigned ? UNSIGNED : undefined
  if (config?.type !== 'enabled' || !reason) return config ? { config, ...rest } : rest
  notes.dropped('thinking', reason)
  return rest
}

const FORCED = 'this model cannot be forced to call a tool while it thinks'
const UNSIGNED =
  'the last tool calls came without their `reasoning_details`, and this model goes on thinking only with them'

/** Silence is enough, except where the model thinks by itself; and where it cannot be stopped, the least is asked. */
function off({ field }: ThinkingWish, how: How, notes: Notes): ClaudeThinking {
  if (how?.always) {
    notes.translated(field, 'this model cannot be told not to think: it is told to think least')
    return how.by === 'budget' ? {} : { effort: nearest('none', how) }
  }
  const isSilent = how && !how.byDefault && field === 'reasoning_effort'
  return isSilent ? {} : { config: { type: 'disabled' } }
}

/** The caller wrote it as Claude wants it: what is wrong with it is the provider's to say. */
function isOwnWords({ type }: Fields, how: How): boolean {
  return !how || (type !== 'enabled' && (how.by !== 'budget' || type !== 'adaptive'))
}

function asGiven(thinking: Fields, wish: ThinkingWish, how: How, notes: Notes): ClaudeThinking {
  return { config: thinking as ThinkingConfig, ...(wish.effort && { effort: knownEffort(wish, how, notes) }) }
}

function adaptive(wish: ThinkingWish, how: How, notes: Notes): ClaudeThinking {
  if (wish.field === 'thinking')
    notes.translated('thinking', 'this model decides itself how many tokens to think: the budget became an effort')
  return { config: { type: 'adaptive', display: 'summarized' }, effort: knownEffort(wish, how, notes) }
}

function knownEffort(wish: ThinkingWish, how: How, notes: Notes): Effort {
  const word = effortOf(wish)
  const effort = nearest(word, how)
  if (effort !== word) notes.translated('reasoning_effort', `this model says "${effort}" for "${word}"`)
  return effort
}

function nearest(word: string, how: How): Effort {
  return nearestEffort(word, how?.efforts ?? EFFORTS) as Effort
}

function withBudget(asked: Asked, wish: ThinkingWish, how: ThinkingTraits, notes: Notes): ClaudeThinking {
  const { minTokens = LEAST_BUDGET_TOKENS, maxTokens = Number.POSITIVE_INFINITY } = how
  const budget_tokens = Math.min(Math.max(budgetOf(wish), minTokens), maxTokens)
  if (wish.field === 'thinking' && wish.budget !== budget_tokens)
    notes.translated('thinking', `this model takes a budget of ${budget_tokens} tokens instead`)
  if (wish.budget !== undefined && asked.reasoning_effort)
    notes.dropped('reasoning_effort', '`thinking` says it already')
  const display = displayOf(asked.thinking, how)
  return { config: { type: 'enabled', budget_tokens, ...(display && { display }) } }
}

function displayOf(thinking: Fields | undefined, how: ThinkingTraits): 'summarized' | 'omitted' | undefined {
  const { display } = thinking ?? {}
  if (display === 'summarized' || display === 'omitted') return display
  return how.summaryOnRequest ? 'summarized' : undefined
}
