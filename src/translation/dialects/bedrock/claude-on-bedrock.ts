import type { ModelTraits } from '../model-traits.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { claudeLimit } from '../claude-limit.ts'
import { claudeThinking, isThinking, withoutConflicts } from '../claude-thinking.ts'
import type { Notes } from '../notes.ts'
import { type Circumstances, SILENT, type Thinking } from './thinking-plan.ts'

const NOT_BESIDE_THINKING = ['temperature', 'top_p'] as const

export function claudeOnBedrock(
  fields: RequestFields,
  traits: ModelTraits | undefined,
  circumstances: Circumstances,
  notes: Notes,
): Thinking {
  const requested = withoutConflicts(claudeThinking(fields, traits?.thinking, notes), circumstances, notes)
  const { config, maxTokens } = claudeLimit(fields, { traits, config: requested.config }, notes)
  const more = { ...(requested.effort && { effort: requested.effort }), ...(maxTokens !== undefined && { maxTokens }) }
  if (!config) return { ...SILENT, ...more }
  return { fields: { thinking: config }, excludes: isThinking(config) ? NOT_BESIDE_THINKING : [], ...more }
}
