import type { ThinkingTraits } from '../model-traits.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { maxAnswerTokens } from '../request/answer-limits.ts'
import { effortOf, noteCannotThink, thinkingOptions, type ThinkingOptions } from '../request/thinking-options.ts'
import { nearestEffort } from '../effort.ts'
import type { Notes } from '../notes.ts'
import { budgetBelow, loweredTo, NO_ROOM_TO_THINK } from '../thinking-budget.ts'
import type { ThinkingConfig, ThinkingLevel } from './wire.ts'

const LEVELS: readonly ThinkingLevel[] = ['minimal', 'low', 'medium', 'high']

/** The budgets of Google's own OpenAI-compatible layer. The strongest efforts mean the maximum. */
const TOKENS = new Map(Object.entries({ minimal: 1024, low: 1024, medium: 8192, high: 24_576 }))
const MAX_TOKENS = 24_576
/** The model decides how many. */
const DYNAMIC = -1

const ALWAYS = 'this model always thinks: the lowest setting is used'

export function toThinking(
  fields: RequestFields,
  traits: ThinkingTraits | undefined,
  notes: Notes,
): ThinkingConfig | undefined {
  const options = thinkingOptions(fields)
  if (!options) return undefined
  // Every generation accepts a budget; only the newer ones accept a level. So an unknown model gets a budget.
  const by = traits?.by ?? 'budget'
  if (by === 'none') return void noteCannotThink(fields, options, notes)
  return by === 'budget' ? toBudget(fields, options, traits, notes) : toLevel(options, traits, notes)
}

function toBudget(
  fields: RequestFields,
  options: ThinkingOptions,
  traits: ThinkingTraits | undefined,
  notes: Notes,
): ThinkingConfig {
  const { minTokens = 0, maxTokens = MAX_TOKENS } = traits ?? {}
  if (options.off) return off(options, traits, notes)
  if (options.budget !== undefined && fields.reasoning_effort)
    notes.dropped('reasoning_effort', 'thinking already says it more exactly')
  const requested = options.budget ?? (options.effort ? (TOKENS.get(options.effort) ?? maxTokens) : DYNAMIC)
  const thinkingBudget = requested === DYNAMIC ? DYNAMIC : Math.min(maxTokens, Math.max(minTokens, requested))
  if (options.budget !== undefined && thinkingBudget !== requested)
    notes.translated(options.field, `this model thinks with ${minTokens} to ${maxTokens} tokens`)
  return belowCap({ thinkingBudget, includeThoughts: options.show ?? true }, fields, { options, traits, notes })
}

function off({ field }: ThinkingOptions, traits: ThinkingTraits | undefined, notes: Notes): ThinkingConfig {
  if (!traits?.always) return { thinkingBudget: 0 }
  notes.translated(field, ALWAYS)
  return { thinkingBudget: traits.minTokens ?? 0, includeThoughts: false }
}

type ThinkingRequest = { options: ThinkingOptions; traits: ThinkingTraits | undefined; notes: Notes }

/** Gemini's limit covers reasoning too. A dynamic budget keeps to it by itself. */
function belowCap(
  config: ThinkingConfig & { thinkingBudget: number },
  fields: RequestFields,
  { options, traits, notes }: ThinkingRequest,
): ThinkingConfig {
  const { thinkingBudget: requested } = config
  const thinkingBudget = budgetBelow(maxAnswerTokens(fields), requested, Math.max(1, traits?.minTokens ?? 0))
  if (thinkingBudget === requested) return config
  if (thinkingBudget !== undefined) {
    notes.translated(options.field, loweredTo(thinkingBudget))
    return { ...config, thinkingBudget }
  }
  if (!traits?.always) notes.dropped(options.field, NO_ROOM_TO_THINK)
  return off(options, traits, notes)
}

function toLevel(options: ThinkingOptions, traits: ThinkingTraits | undefined, notes: Notes): ThinkingConfig {
  const levels = LEVELS.filter((level) => traits?.efforts?.includes(level) ?? true)
  if (options.off) {
    notes.translated(options.field, ALWAYS)
    return { ...(levels[0] && { thinkingLevel: levels[0] }), includeThoughts: false }
  }
  const includeThoughts = options.show ?? true
  if (levels.length === 0 || (options.budget === undefined && !options.effort)) return { includeThoughts }
  // For a model with two levels, medium becomes the stronger one.
  const thinkingLevel = nearestEffort(effortOf(options), levels, 'stronger') as ThinkingLevel
  if (thinkingLevel !== options.effort) notes.translated(options.field, `this model needs a level: ${thinkingLevel}`)
  return { thinkingLevel, includeThoughts }
}
