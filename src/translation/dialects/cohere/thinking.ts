import { maxAnswerTokens } from '../request/answer-limits.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { budgetOf, noteCannotThink, thinkingOptions, type ThinkingOptions } from '../request/thinking-options.ts'
import type { Target } from '../chat-codec.ts'
import type { ThinkingTraits } from '../model-traits.ts'
import type { Notes } from '../notes.ts'
import { budgetBelow, loweredTo, NO_ROOM_TO_THINK } from '../thinking-budget.ts'
import type { Fields } from '../../../base/schema/record.ts'

/** An unknown model is treated like the newer ones, which think by default. */
export function toThinking(fields: RequestFields, { traits }: Target, notes: Notes): Fields {
  const options = thinkingOptions(fields)
  const how = traits?.thinking
  if (!options) return {}
  if (how?.by === 'none') {
    noteCannotThink(fields, options, notes)
    return {}
  }
  if (options.off && !how?.always) return { thinking: { type: 'disabled' } }
  if (options.off) notes.translated(options.field, 'thinking cannot be turned off for this model')
  if (options.off || (options.budget === undefined && !options.effort)) return { thinking: { type: 'enabled' } }
  return withBudget(fields, options, how, notes)
}

function withBudget(
  fields: RequestFields,
  options: ThinkingOptions,
  { minTokens = 1, maxTokens = Number.POSITIVE_INFINITY, always }: Partial<ThinkingTraits> = {},
  notes: Notes,
): Fields {
  const requested = Math.min(Math.max(budgetOf(options), minTokens), maxTokens)
  const token_budget = budgetBelow(maxAnswerTokens(fields), requested, minTokens)
  if (token_budget === undefined && !always) {
    notes.dropped(options.field, NO_ROOM_TO_THINK)
    return { thinking: { type: 'disabled' } }
  }
  if (token_budget !== (options.budget ?? requested))
    notes.translated(options.field, loweredTo(token_budget ?? minTokens))
  return { thinking: { type: 'enabled', token_budget: token_budget ?? minTokens } }
}
