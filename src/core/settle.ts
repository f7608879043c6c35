import type { ChatRequest } from '../contract/chat.ts'
import type { Usage } from '../contract/chat-reply.ts'
import { costOf, toTokens } from './account.ts'
import type { Call } from './call.ts'
import type { ChatTarget } from './route.ts'

/** English text has about four characters to a token; good enough for a line that is marked as an estimate. */
const CHARS_PER_TOKEN = 4

type Observed = { usage?: Usage | null | undefined; serviceTier?: string | null | undefined; chars: number }

/** Usage × price. Where the provider sent no usage, it is made from the text that passed, and marked. */
export function settle(
  call: Call,
  target: ChatTarget,
  request: ChatRequest,
  { usage, serviceTier, chars }: Observed,
): void {
  const counted = isUsage(usage) ? usage : undefined
  call.estimated = !counted
  call.usageEstimate = counted ? null : estimate(request, chars)
  call.tokens = toTokens(counted ?? call.usageEstimate!)
  call.cost = costOf(call.tokens, target.entry?.price, serviceTier)
}

type Texts = { content?: unknown; reasoning_content?: unknown; refusal?: unknown; tool_calls?: unknown }

export function charsOfMessage({ content, reasoning_content, refusal, tool_calls }: Texts): number {
  const chars = lengthOf(content) + lengthOf(reasoning_content) + lengthOf(refusal)
  return Array.isArray(tool_calls)
    ? chars + tool_calls.reduce((sum, call) => sum + lengthOf(call?.function?.arguments), 0)
    : chars
}

function estimate(request: ChatRequest, chars: number): Usage & { estimated: true } {
  const prompt_tokens = Math.ceil(JSON.stringify(request.messages).length / CHARS_PER_TOKEN)
  const completion_tokens = Math.ceil(chars / CHARS_PER_TOKEN)
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, estimated: true }
}

function isUsage(usage: Usage | null | undefined): usage is Usage {
  return usage != null && Number.isFinite(usage.prompt_tokens) && Number.isFinite(usage.completion_tokens)
}

function lengthOf(text: unknown): number {
  return typeof text === 'string' ? text.length : 0
}
