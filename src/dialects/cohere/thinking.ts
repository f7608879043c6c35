import { maxAnswerTokens } from '../request/answer-limits.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { budgetOf, noteCannotThink, thinkingOptions } from '../request/thinking-options.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../schema/record.ts'

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
  const max = Math.min(
    how?.maxTokens ?? Number.POSITIVE_INFINITY,
    (maxAnswerTokens(fields) ?? Number.POSITIVE_INFINITY) - 1,
  )
  const token_budget = Math.min(Math.max(budgetOf(options), how?.minTokens ?? 1), Math.max(max, 1))
  if (options.budget !== undefined && token_budget !== options.budget)
    notes.translated(options.field, `Cohere gets a budget of ${token_budget} tokens`)
  return { thinking: { type: 'enabled', token_budget } }
}
