import type { ThinkingTraits } from './model-traits.ts'
import type { RequestFields } from './request/request-fields.ts'
import {
  budgetOf,
  effortOf,
  isInOtherWords,
  noteCannotThink,
  thinkingOptions,
  type ThinkingOptions,
} from './request/thinking-options.ts'
import { nearestEffort } from './effort.ts'
import type { Notes } from './notes.ts'
import type { Fields } from '../../base/schema/record.ts'

// The reasoning settings of Claude, for every wire format that serves it. An unknown model is treated like the newer ones,
// which decide themselves how much to think (adaptive).

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export type ThinkingConfig =
  | { type: 'enabled'; budget_tokens: number; display?: 'summarized' | 'omitted' }
  | { type: 'adaptive'; display?: 'summarized' | 'omitted' }
  | { type: 'disabled' }
  | { type: 'between_tools' }

type ClaudeThinking = { config?: ThinkingConfig; effort?: Effort }

type How = ThinkingTraits | undefined

export const MIN_BUDGET_TOKENS = 1024
const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max']

export function claudeThinking(fields: RequestFields, how: How, notes: Notes): ClaudeThinking {
  const options = thinkingOptions(fields)
  if (!options) return {}
  if (how?.by === 'none') {
    noteCannotThink(fields, options, notes)
    return {}
  }
  if (options.off) return off(options, how, notes)
  if (fields.thinking && isOwnWords(fields.thinking, how)) return asSent(fields.thinking, options, how, notes)
  return how?.by === 'budget' ? withBudget(fields, options, how, notes) : adaptive(options, how, notes)
}

export function isThinking(config: ThinkingConfig | undefined): boolean {
  return config !== undefined && config.type !== 'disabled'
}

/**
 * Thinking within a budget conflicts with a forced tool, and with a tool turn that lost its reasoning. In both cases
 * thinking is dropped.
 */
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
/** Why a model with a budget cannot think in this request. */
export const UNSIGNED =
  'the last tool calls came without their `reasoning_details`, which this model needs to continue thinking'

/**
 * Sending nothing is enough, unless the model thinks by default. If thinking cannot be turned off, the lowest effort is
 * set.
 */
function off({ field }: ThinkingOptions, how: How, notes: Notes): ClaudeThinking {
  if (how?.always) {
    notes.translated(field, 'thinking cannot be turned off for this model: the lowest effort is used')
    return how.by === 'budget' ? {} : { effort: nearest('none', how) }
  }
  const isSilent = how && !how.byDefault && field === 'reasoning_effort'
  return isSilent ? {} : { config: { type: 'disabled' } }
}

/** The caller used Claude's own format: the provider checks it. */
function isOwnWords(thinking: Fields, how: How): boolean {
  const { type } = thinking
  if (isInOtherWords(thinking)) return false
  return !how || (type !== 'enabled' && (how.by !== 'budget' || type !== 'adaptive'))
}

function asSent(thinking: Fields, options: ThinkingOptions, how: How, notes: Notes): ClaudeThinking {
  return { config: thinking as ThinkingConfig, ...(options.effort && { effort: knownEffort(options, how, notes) }) }
}

function adaptive(options: ThinkingOptions, how: How, notes: Notes): ClaudeThinking {
  const config = { type: 'adaptive', display: 'summarized' } as const
  // Google's clients may only ask to see the thoughts.
  if (options.effort === undefined && options.budget === undefined) return { config }
  if (options.budget !== undefined)
    notes.translated('thinking', 'this model decides itself how many tokens to think: the budget became an effort')
  return { config, effort: knownEffort(options, how, notes) }
}

function knownEffort(options: ThinkingOptions, how: How, notes: Notes): Effort {
  const word = effortOf(options)
  const effort = nearest(word, how)
  if (effort !== word)
    notes.translated('reasoning_effort', `"${effort}" is the closest setting of this model to "${word}"`)
  return effort
}

function nearest(word: string, how: How): Effort {
  return nearestEffort(word, how?.efforts ?? EFFORTS) as Effort
}

function withBudget(
  fields: RequestFields,
  options: ThinkingOptions,
  how: ThinkingTraits,
  notes: Notes,
): ClaudeThinking {
  const { minTokens = MIN_BUDGET_TOKENS, maxTokens = Number.POSITIVE_INFINITY } = how
  const budget_tokens = Math.min(Math.max(budgetOf(options), minTokens), maxTokens)
  if (options.field === 'thinking' && options.budget !== budget_tokens)
    notes.translated('thinking', `this model gets a budget of ${budget_tokens} tokens instead`)
  if (options.budget !== undefined && fields.reasoning_effort)
    notes.dropped('reasoning_effort', '`thinking` already says it')
  const display = displayOf(fields.thinking, how)
  return { config: { type: 'enabled', budget_tokens, ...(display && { display }) } }
}

function displayOf(thinking: Fields | undefined, how: ThinkingTraits): 'summarized' | 'omitted' | undefined {
  const { display } = thinking ?? {}
  if (display === 'summarized' || display === 'omitted') return display
  return how.summaryOnRequest ? 'summarized' : undefined
}
