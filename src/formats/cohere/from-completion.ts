import type { ChatCompletion, FinishReason, Usage } from '../../contract/chat-reply.ts'
import type { CohereChatReply } from '../../contract/cohere/chat.ts'
import { type Fields, isRecord } from '../../schema/record.ts'

const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  function_call: 'TOOL_CALL',
  content_filter: 'ERROR_TOXIC',
}

/** Without a reason, nobody knows whether the answer is complete. */
export function finishReason(reason: FinishReason | null | undefined): string {
  return FINISH_REASONS[reason ?? 'length']
}

export function fromCompletion({
  id,
  choices,
  usage,
  model,
  cost,
  provider,
  gatehouse,
}: ChatCompletion): CohereChatReply {
  const { message, finish_reason } = choices[0]!
  const text = message.content ?? message.refusal
  const { tool_calls, reasoning_content } = message
  const hasCalls = Boolean(tool_calls?.length)
  const plan = [reasoning_content, text].filter(Boolean).join('\n')
  const content = [
    ...(reasoning_content ? [{ type: 'thinking', thinking: reasoning_content }] : []),
    ...(text ? [{ type: 'text', text }] : []),
  ]
  return {
    id,
    finish_reason: finishReason(finish_reason),
    message: {
      role: 'assistant',
      // A message with calls has a plan in place of an answer.
      ...(hasCalls ? { tool_calls: tool_calls as Fields[], ...(plan && { tool_plan: plan }) } : { content }),
    },
    usage: usageOf(usage),
    model,
    cost: cost ?? null,
    provider: provider!,
    ...(gatehouse && { gatehouse }),
  }
}

/** Cohere does not bill all tokens that it counts. Others do. */
export function usageOf(usage: Usage | null | undefined): Fields {
  if (!usage) return {}
  const tokens = { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens }
  const { billed_units } = usage as Fields
  return { billed_units: isRecord(billed_units) ? billed_units : tokens, tokens }
}
