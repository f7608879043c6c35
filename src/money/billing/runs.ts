import type { Usage } from '../../contract/chat-reply.ts'
import { type Tokens, toTokens } from './token-buckets.ts'

// Behind one answer of Anthropic there may be several runs: of an advisor, to compact the conversation, or of a model that
// refused before another one took over. Each run is billed at the price of its own model.

export type Run = {
  /** The provider's name of the model; undefined if it is the one that answered. */
  model?: string | undefined
  tokens: Tokens
}

/** The types of runs that the totals of an answer include. */
const INCLUDED: ReadonlySet<string> = new Set(['message', 'fallback_message'])

/**
 * The runs that are billed; `tokens` are those of the totals. Together the runs are at least the totals: a list that omits
 * something does not lower the cost.
 */
export function runsOf(usage: Usage | undefined, tokens: Tokens): Run[] {
  const all = usage?.iterations
  if (!all) return [{ tokens }]
  const included = all.filter(({ type }) => INCLUDED.has(type))
  const others = all.filter(({ type }) => !INCLUDED.has(type))
  const runs = covers(included, usage) ? included : [{ ...usage, model: undefined }]
  return [...runs, ...others].map((run) => ({ model: run.model ?? undefined, tokens: toTokens(run) }))
}

type Counts = Pick<Usage, 'prompt_tokens' | 'completion_tokens'>

function covers(runs: readonly Counts[], total: Counts): boolean {
  const sumOf = (field: keyof Counts) => runs.reduce((sum, run) => sum + run[field], 0)
  return (
    runs.length > 0 &&
    sumOf('prompt_tokens') >= total.prompt_tokens &&
    sumOf('completion_tokens') >= total.completion_tokens
  )
}
