import type { Notes } from '../notes.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'
import { budgetOfEffort, effortOfBudget } from '../effort.ts'
import type { RequestFields } from './request-fields.ts'

/** The combined meaning of `reasoning_effort` and `thinking`; `thinking` decides whether the model thinks. */
export type ThinkingOptions = {
  field: 'thinking' | 'reasoning_effort'
  off: boolean
  effort?: string
  /** In tokens; absent if the amount is open. */
  budget?: number
  /** Whether to show the reasoning. */
  show?: boolean
}

export function thinkingOptions({ thinking, reasoning_effort: word }: RequestFields): ThinkingOptions | undefined {
  const effort = word === 'disable' ? 'none' : word
  if (!thinking) return effort && { field: 'reasoning_effort', off: effort === 'none', effort }
  const { budget, show, effort: own } = readThinking(thinking)
  const requested = own ?? (effort === 'none' ? undefined : effort)
  return {
    field: 'thinking',
    off: thinking.type === 'disabled' || budget === 0,
    ...(requested && { effort: requested }),
    ...(budget !== undefined && budget > 0 && { budget }),
    ...(show !== undefined && { show }),
  }
}

export function effortOf({ effort, budget }: ThinkingOptions): string {
  return effort ?? (budget === undefined ? 'medium' : effortOfBudget(budget))
}

export function budgetOf({ effort = 'medium', budget }: ThinkingOptions): number {
  return budget ?? budgetOfEffort(effort)
}

/** What only Google and Cohere say in such an object. */
const WORDS_OF_OTHERS = [
  ...['token_budget', 'thinkingBudget', 'thinking_budget', 'thinkingLevel', 'thinking_level'],
  ...['includeThoughts', 'include_thoughts'],
]

/** Whether it is not in the form of Anthropic, which several providers have. */
export function isInOtherWords(thinking: Fields): boolean {
  return WORDS_OF_OTHERS.some((word) => Object.hasOwn(thinking, word))
}

export function withoutOtherWords(thinking: Fields): Fields {
  return Object.fromEntries(Object.entries(thinking).filter(([word]) => !WORDS_OF_OTHERS.includes(word)))
}

/** For a model that cannot think. A request not to think needs no note. */
export function noteCannotThink(
  { thinking, reasoning_effort }: RequestFields,
  { off }: ThinkingOptions,
  notes: Notes,
): void {
  if (off) return
  if (thinking) notes.dropped('thinking', 'this model does not think')
  if (reasoning_effort) notes.dropped('reasoning_effort', 'this model does not think')
}

/** In the form of Anthropic, of Cohere, or of Google in either spelling. */
function readThinking(thinking: Fields): Pick<ThinkingOptions, 'effort' | 'budget' | 'show'> {
  const tokens = thinking.budget_tokens ?? thinking.token_budget ?? thinking.thinkingBudget ?? thinking.thinking_budget
  const show = thinking.includeThoughts ?? thinking.include_thoughts
  const effort = textOf(thinking.thinkingLevel ?? thinking.thinking_level ?? thinking.effort).toLowerCase()
  return {
    ...(effort && { effort }),
    ...(typeof tokens === 'number' && { budget: Math.floor(tokens) }),
    ...(typeof show === 'boolean' && { show }),
  }
}
