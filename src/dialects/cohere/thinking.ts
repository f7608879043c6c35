import { mostTokens } from '../asked/answer-limits.ts'
import type { Asked } from '../asked/asked-fields.ts'
import { budgetOf, noteThoughtless, thinkingWish } from '../asked/thinking-wish.ts'
import type { Target } from '../dialect.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../record.ts'

/** A model of which nothing is known is taken for one of the newer kind, which thinks unless told not to. */
export function toThinking(asked: Asked, { traits }: Target, notes: Notes): Fields {
  const wish = thinkingWish(asked)
  const how = traits?.thinking
  if (!wish) return {}
  if (how?.by === 'none') {
    noteThoughtless(asked, wish, notes)
    return {}
  }
  if (wish.off && !how?.always) return { thinking: { type: 'disabled' } }
  if (wish.off) notes.translated(wish.field, 'this model cannot be told not to think')
  if (wish.off || (wish.budget === undefined && !wish.effort)) return { thinking: { type: 'enabled' } }
  const most = Math.min(how?.maxTokens ?? Number.POSITIVE_INFINITY, (mostTokens(asked) ?? Number.POSITIVE_INFINITY) - 1)
  const token_budget = Math.min(Math.max(budgetOf(wish), how?.minTokens ?? 1), Math.max(most, 1))
  if (wish.budget !== undefined && token_budget !== wish.budget)
    notes.translated(wish.field, `Cohere is given a budget of ${token_budget} tokens`)
  return { thinking: { type: 'enabled', token_budget } }
}
