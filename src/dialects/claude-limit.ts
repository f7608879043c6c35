import type { ModelTraits } from './model-traits.ts'
import { maxAnswerTokens } from './request/answer-limits.ts'
import type { RequestFields } from './request/request-fields.ts'
import { MIN_BUDGET_TOKENS, type ThinkingConfig } from './claude-thinking.ts'
import type { Notes } from './notes.ts'

// The maximum length of an answer by Claude, for every wire format that serves it. The limit covers reasoning and answer
// together, so it has to be above the reasoning budget.

export type ClaudeLimit = {
  /** Undefined if the caller names no limit and the wire format requires none. */
  maxTokens: number | undefined
  config: ThinkingConfig | undefined
}

type Options = {
  traits: ModelTraits | undefined
  config: ThinkingConfig | undefined
  /** The limit if the caller names none. Absent for wire formats that do not require a limit. */
  fallback?: number
}

export function claudeLimit(fields: RequestFields, { traits, config, fallback }: Options, notes: Notes): ClaudeLimit {
  const max = traits?.maxOutput ?? Number.POSITIVE_INFINITY
  const requested = maxAnswerTokens(fields)
  if (requested === undefined && fallback === undefined) return { maxTokens: undefined, config }
  const limit = Math.min(requested ?? fallback!, max)
  const budget = budgetOf(config)
  const maxTokens = limit > budget ? limit : Math.min(limit + budget, max)
  if (requested !== undefined && maxTokens !== requested)
    notes.translated(nameOf(fields), reasonFor(maxTokens, requested))
  if (config?.type !== 'enabled' || maxTokens > budget) return { maxTokens, config }
  return { maxTokens, config: smaller(config, maxTokens, notes) }
}

function budgetOf(config: ThinkingConfig | undefined): number {
  // This object may come from the caller and has not been checked.
  return config?.type === 'enabled' && Number.isFinite(config.budget_tokens) ? config.budget_tokens : 0
}

function nameOf(fields: RequestFields): string {
  return fields.max_completion_tokens === undefined ? 'max_tokens' : 'max_completion_tokens'
}

function reasonFor(maxTokens: number, requested: number): string {
  return maxTokens < requested
    ? `this model writes at most ${maxTokens} tokens`
    : `raised to ${maxTokens}: it has to be above the thinking budget`
}

function smaller(config: ThinkingConfig & { type: 'enabled' }, maxTokens: number, notes: Notes) {
  if (maxTokens <= MIN_BUDGET_TOKENS) {
    notes.dropped('thinking', 'the maximum answer length of this model leaves no room for it')
    return undefined
  }
  const budget_tokens = maxTokens - 1
  notes.translated('thinking', `the maximum answer length of this model leaves room for ${budget_tokens} tokens`)
  return { ...config, budget_tokens }
}
