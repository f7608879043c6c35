import type { ChatRequest } from '../contract/chat.ts'
import type { Usage } from '../contract/chat-reply.ts'
import { inputOf, outputOf, toTokens } from '../billing/token-buckets.ts'
import { costPartsOf, reportedCost } from '../billing/cost-parts.ts'
import type { CallRecord, CallSpending } from '../calls/call.ts'
import { chatCodecOf } from './chat-codec-of.ts'
import type { ChatTarget } from '../routing/route.ts'
import { spend } from '../calls/task-spending.ts'

/** English text has about four characters per token. This is good enough for a cost that is marked as an estimate. */
export const CHARS_PER_TOKEN = 4

type Observed = {
  usage?: Usage | null | undefined
  serviceTier?: string | null | undefined
  chars: number
  isSettled?: boolean
}

/**
 * Adds usage × price to what the call has spent before: if another target continues a stream, both are paid. If the provider
 * sent no usage, it is estimated from the text, and marked as an estimate.
 */
export function settle(call: CallRecord, target: ChatTarget, request: ChatRequest, observed: Observed): void {
  const counted = isUsage(observed.usage) ? observed.usage : undefined
  const usage = counted ?? estimate(request, observed.chars, call.attachments?.chars)
  const tokens = toTokens(usage)
  call.parts++
  call.estimated ||= !counted
  const { countsSearches } = chatCodecOf(target.provider)
  const serviceTier = observed.serviceTier ?? requestedTier(request, call)
  const cost = costPartsOf(target.entry, { tokens, usage: counted, request, serviceTier, countsSearches })
  spend(call, cost.cost, tokens)
  call.costIsPartial ||= cost.isPartial
  for (const [name, count] of Object.entries(cost.basis)) call.basis[name] = (call.basis[name] ?? 0) + count
  call.priceVersion = target.entry?.checked ?? null
  // The provider's own figure is kept next to ours, for comparing bills.
  const reported = reportedCost(counted)
  if (reported !== null) call.providerCost = (call.providerCost ?? 0) + reported
  observed.isSettled = true
}

/** If the answer names no tier, the requested one counts, except for the cheaper one, which the provider has not confirmed. */
function requestedTier({ service_tier, extra_body }: ChatRequest, { notes }: CallRecord): string | undefined {
  const tier = extra_body?.service_tier ?? service_tier
  if (typeof tier !== 'string' || tier === 'flex') return undefined
  return notes.some(({ field }) => field === 'service_tier') ? undefined : tier
}

/** The usage that the caller gets: the provider's own, unless that is missing or covers only a part of the answer. */
export function usageOf(call: CallSpending, own: Usage | null | undefined): Usage {
  if (own && !call.estimated && call.parts === 1) return own
  const prompt_tokens = inputOf(call.tokens!)
  const completion_tokens = outputOf(call.tokens!)
  const total_tokens = prompt_tokens + completion_tokens
  return { prompt_tokens, completion_tokens, total_tokens, ...(call.estimated && { estimated: true }) }
}

type Texts = { content?: unknown; reasoning_content?: unknown; refusal?: unknown; tool_calls?: unknown }

export function charsOfMessage({ content, reasoning_content, refusal, tool_calls }: Texts): number {
  const chars = lengthOf(content) + lengthOf(reasoning_content) + lengthOf(refusal)
  return Array.isArray(tool_calls)
    ? chars + tool_calls.reduce((sum, call) => sum + lengthOf(call?.function?.arguments), 0)
    : chars
}

function estimate(request: ChatRequest, chars: number, attachedChars = 0): Usage {
  const prompt_tokens = Math.ceil((JSON.stringify(request.messages).length + attachedChars) / CHARS_PER_TOKEN)
  const completion_tokens = Math.ceil(chars / CHARS_PER_TOKEN)
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

function isUsage(usage: Usage | null | undefined): usage is Usage {
  return usage != null && Number.isFinite(usage.prompt_tokens) && Number.isFinite(usage.completion_tokens)
}

function lengthOf(text: unknown): number {
  return typeof text === 'string' ? text.length : 0
}
