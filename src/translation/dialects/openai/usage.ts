import type { Usage } from '../../../contract/chat-reply.ts'
import { countOf, isRecord, recordOf, recordsIn } from '../../../base/schema/record.ts'
import { soundUsage } from './sound-usage.ts'

// Compatible hosts count like OpenAI, but in other places and under other names.

type Counted = { usage?: Usage | null | undefined; choices: readonly unknown[]; x_groq?: unknown }

/** Moves the counts to `usage`, in our buckets: cached tokens are named, and reasoning tokens are part of the output. */
export function settleUsage(reply: Counted, gatewayCost = costIn(reply.choices)): void {
  const usage = reply.usage ?? elsewhere(reply)
  if (!isUsage(usage)) return
  reply.usage = usage
  soundUsage(usage)
  if (gatewayCost !== undefined) usage.gateway_cost = gatewayCost
  nameCached(usage)
  nameReasoning(usage)
}

/** Vercel reports its charge beside the answer, as text; undefined if there is none. */
export function costIn(choices: readonly unknown[]): unknown {
  for (const { message, delta } of recordsIn(choices)) {
    const { provider_metadata } = recordOf(message ?? delta)
    if (provider_metadata !== undefined) return recordOf(recordOf(provider_metadata).gateway).cost
  }
  return undefined
}

/** Groq has a field of its own, Moonshot puts the usage in the last choice. */
function elsewhere({ x_groq, choices }: Counted): unknown {
  return recordOf(x_groq).usage ?? recordsIn(choices).find(({ usage }) => isRecord(usage))?.usage
}

function isUsage(value: unknown): value is Usage & Record<string, unknown> {
  return isRecord(value)
}

/** The names of DeepSeek, Mistral and Kimi, and a misspelling by Mistral. */
function nameCached(usage: Usage & Record<string, unknown>): void {
  if (usage.prompt_tokens_details?.cached_tokens != null) return
  const misspelt = recordOf(usage.prompt_token_details).cached_tokens
  const cached_tokens = countOf(
    usage.prompt_cache_hit_tokens ?? usage.num_cached_tokens ?? usage.cached_tokens ?? misspelt,
  )
  if (cached_tokens > 0) usage.prompt_tokens_details = { ...usage.prompt_tokens_details, cached_tokens }
}

/** xAI counts reasoning in addition to the answer: only the total shows it. Some hosts report it outside of the details. */
function nameReasoning(usage: Usage & Record<string, unknown>): void {
  const named = usage.completion_tokens_details?.reasoning_tokens
  const reasoning_tokens = countOf(named ?? usage.reasoning_tokens)
  if (reasoning_tokens === 0) return
  if (named == null) usage.completion_tokens_details = { ...usage.completion_tokens_details, reasoning_tokens }
  const written = usage.completion_tokens + reasoning_tokens
  if (usage.total_tokens === usage.prompt_tokens + written) usage.completion_tokens = written
}
