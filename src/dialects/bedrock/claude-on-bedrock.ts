import type { ThinkingTraits } from '../../contract/model-traits.ts'
import type { Asked } from '../asked/asked-fields.ts'
import {
  claudeThinking,
  isThinking,
  LEAST_BUDGET_TOKENS,
  type ThinkingConfig,
  withoutConflicts,
} from '../claude-thinking.ts'
import type { Notes } from '../notes.ts'
import { type Circumstances, SILENT, type Thinking } from './thinking-plan.ts'

const NOT_BESIDE_THINKING = ['temperature', 'top_p'] as const

type How = ThinkingTraits | undefined

export function claudeOnBedrock(asked: Asked, how: How, circumstances: Circumstances, notes: Notes): Thinking {
  const { config, effort } = withoutConflicts(claudeThinking(asked, how, notes), circumstances, notes)
  const fitting = config && withinAnswer(config, how, circumstances, notes)
  if (!fitting) return { ...SILENT, ...(effort && { effort }) }
  const excludes = isThinking(fitting) ? NOT_BESIDE_THINKING : []
  return { fields: { thinking: fitting }, excludes, ...(effort && { effort }) }
}

/** A budget is a part of the answer's limit; the wire demands none, so none is raised. */
function withinAnswer(
  config: ThinkingConfig,
  how: How,
  { maxTokens = Number.POSITIVE_INFINITY }: Circumstances,
  notes: Notes,
): ThinkingConfig | undefined {
  if (config.type !== 'enabled' || !(config.budget_tokens >= maxTokens)) return config
  const least = how?.minTokens ?? LEAST_BUDGET_TOKENS
  if (maxTokens - 1 < least) {
    notes.dropped('thinking', `this model needs more than ${least} tokens to think in`)
    return undefined
  }
  notes.translated('thinking', `the budget is a part of the ${maxTokens} tokens of the answer`)
  return { ...config, budget_tokens: maxTokens - 1 }
}
