import type { ModelTraits } from './model-traits.ts'
import { maxAnswerTokens } from './request/answer-limits.ts'
import type { RequestFields } from './request/request-fields.ts'
import { MIN_BUDGET_TOKENS, type ThinkingConfig } from './claude-thinking.ts'
import type { Notes } from './notes.ts'
import { budgetBelow, loweredTo, NO_ROOM_TO_THINK } from './thinking-budget.ts'

// The maximum length of an answer by Claude, for every wire format that serves it. The limit covers reasoning and answer
// together, so it has to be above the reasoning budget: the limit is the caller's, so the budget gives way.

type ClaudeLimit = {
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
  const maxTokens = Math.min(requested ?? aboveBudget(fallback!, config), max)
  if (requested !== undefined && maxTokens !== requested)
    notes.translated(nameOf(fields), `this model writes at most ${maxTokens} tokens`)
  return { maxTokens, config: fitting(config, maxTokens, fields, { traits, notes }) }
}

/** A limit of our own may be raised, unlike the caller's. */
function aboveBudget(limit: number, config: ThinkingConfig | undefined): number {
  const budget = budgetOf(config)
  return limit > budget ? limit : limit + budget
}

function budgetOf(config: ThinkingConfig | undefined): number {
  // This object may come from the caller and has not been checked.
  return config?.type === 'enabled' && Number.isFinite(config.budget_tokens) ? config.budget_tokens : 0
}

function nameOf(fields: RequestFields): string {
  return fields.max_completion_tokens === undefined ? 'max_tokens' : 'max_completion_tokens'
}

type Fitting = { traits: ModelTraits | undefined; notes: Notes }

function fitting(
  config: ThinkingConfig | undefined,
  maxTokens: number,
  { thinking }: RequestFields,
  { traits, notes }: Fitting,
): ThinkingConfig | undefined {
  const budget = budgetOf(config)
  if (config?.type !== 'enabled' || budget < maxTokens) return config
  const field = thinking ? 'thinking' : 'reasoning_effort'
  const budget_tokens = budgetBelow(maxTokens, budget, traits?.thinking?.minTokens ?? MIN_BUDGET_TOKENS)
  if (budget_tokens === undefined) return void notes.dropped(field, NO_ROOM_TO_THINK)
  notes.translated(field, loweredTo(budget_tokens))
  return { ...config, budget_tokens }
}
