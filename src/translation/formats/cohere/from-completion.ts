import type { FinishReason, ToolCall, Usage } from '../../../contract/chat-reply.ts'
import type { Answer, AnswerMessage } from '../../wire/answer.ts'
import type { CohereChatReply } from '../../../contract/cohere/chat.ts'
import { type Fields, isRecord, recordOf, textOf } from '../../../base/schema/record.ts'
import { CitationWriter, ownBlocks, ownCitations } from './citations.ts'
import { cohereLogprobs } from './logprobs.ts'
import { splitPlan } from './tool-plan.ts'

const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  function_call: 'TOOL_CALL',
  content_filter: 'ERROR_TOXIC',
}

/** Without a reason, the answer may not be complete. */
export function finishReason(reason: FinishReason | null | undefined): string {
  return FINISH_REASONS[reason ?? 'length']
}

export function fromCompletion({ id, choices, usage, model, cost, provider, gatehouse }: Answer): CohereChatReply {
  const { message, finish_reason, logprobs: given } = choices[0]!
  const logprobs = cohereLogprobs(given)
  return {
    id,
    finish_reason: finishReason(finish_reason),
    message: messageOf(message),
    ...(logprobs.length > 0 && { logprobs }),
    usage: usageOf(usage),
    model,
    cost: cost ?? null,
    provider: provider!,
    ...(gatehouse && { gatehouse }),
  }
}

/** A text beside calls is content: only Cohere says of a text that it is the plan. */
function messageOf(message: AnswerMessage): CohereChatReply['message'] {
  const { reasoning, plan } = splitPlan(message)
  const text = `${message.content ?? ''}${message.refusal ?? ''}`
  const tool_calls = (message.tool_calls ?? []).map(functionCall)
  const content = [
    ...(reasoning ? [{ type: 'thinking', thinking: reasoning }] : []),
    ...(text ? [{ type: 'text', text }] : []),
    ...ownBlocks(message.provider_content),
  ]
  const blocks = [{ index: reasoning ? 1 : 0, start: 0 }]
  const cited = new CitationWriter().of(message.annotations, text, blocks)
  const citations = [...cited, ...ownCitations(message.provider_content)]
  return {
    role: 'assistant',
    ...((content.length > 0 || tool_calls.length === 0) && { content }),
    ...(plan && { tool_plan: plan }),
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(citations.length > 0 && { citations }),
  }
}

/** Cohere knows functions only. */
function functionCall({ id, function: called, custom }: ToolCall): Fields {
  const { name, input } = recordOf(custom)
  return { id, type: 'function', function: called ?? { name: textOf(name), arguments: textOf(input) } }
}

/** Cohere does not bill all tokens that it counts. Others do. */
export function usageOf(usage: Usage | null | undefined): Fields {
  if (!usage) return {}
  const tokens = { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens }
  const cached_tokens = usage.prompt_tokens_details?.cached_tokens
  const { billed_units } = usage as Fields
  return {
    billed_units: isRecord(billed_units) ? billed_units : tokens,
    tokens,
    ...(cached_tokens != null && { cached_tokens }),
  }
}
