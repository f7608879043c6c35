import type { ToolCall } from '../../../contract/chat-reply.ts'
import { type Answer, type AnswerMessage, Internal } from '../../wire/answer.ts'
import type { MessagesReply } from '../../../contract/messages.ts'
import { parseToSend } from '../../json/exact-numbers.ts'
import { tryParse } from '../../json/try-parse.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { packContent } from '../../dialects/packed-content.ts'
import { StepReader } from '../step-reader.ts'
import { citationsOf } from './citations.ts'
import { isOwnReasoning, seal } from '../sealed-reasoning.ts'
import { isStep } from '../server-step.ts'
import { type Block, ownBlocks, stepBlocks } from './step-blocks.ts'
import { stopReason } from './stop-reason.ts'
import { messageUsage } from './usage.ts'

/**
 * A complete answer in this format. If the provider used this format, it is the provider's own message, with our model name
 * and the cost.
 */
export function fromCompletion(completion: Answer): MessagesReply {
  const { model, cost = null, provider = '', gatehouse } = completion
  const ours = { model, cost, provider, ...(gatehouse && { gatehouse }) }
  const native = Internal.read(completion.nativeReply)
  if (native) return { ...nativeMessage(native, completion), ...ours }
  const { message, finish_reason } = completion.choices[0]!
  const content = blocksOf(message, provider)
  return {
    id: messageId(completion.id),
    type: 'message',
    role: 'assistant',
    content,
    stop_reason: stopReason(finish_reason, Boolean(message.tool_calls?.length)),
    stop_sequence: null,
    usage: messageUsage(completion.usage),
    ...ours,
  }
}

/** A provider's own message. What every message has is set if the provider omits it or sends another type. */
export function nativeMessage(native: Fields, { id, usage }: Pick<Answer, 'id' | 'usage'>): MessagesReply {
  const counts = recordOf(native.usage)
  const isCounted = Number.isInteger(counts.input_tokens) && Number.isInteger(counts.output_tokens)
  return {
    stop_reason: null,
    stop_sequence: null,
    ...(native as Omit<MessagesReply, 'stop_reason' | 'stop_sequence'>),
    id: textOf(native.id) || messageId(id),
    type: 'message',
    role: 'assistant',
    ...(!isCounted && { usage: { ...messageUsage(usage), ...ofCounts(counts) } }),
  }
}

/** The counts that are numbers. */
function ofCounts(counts: Fields): Fields {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => Number.isInteger(count)))
}

export function messageId(id: string): string {
  return id.startsWith('msg_') ? id : `msg_${id.replace(/^chatcmpl-/, '')}`
}

function blocksOf(message: AnswerMessage, provider: string): Block[] {
  const { content, refusal, tool_calls, annotations } = message
  const joined = `${content ?? ''}${refusal ?? ''}`
  const citations = content ? citationsOf(annotations, content) : []
  const [thoughts, calls] = [reasoningOf(message, provider), (tool_calls ?? []).map(toolUse)]
  const own = ownBlocks(message, { thoughts, calls })
  if (own) return own
  const text = joined ? [{ type: 'text', text: joined, ...(citations.length > 0 && { citations }) }] : []
  return [...thoughts, ...stepsIn(message), ...text, ...calls]
}

function stepsIn(message: AnswerMessage & { executed_tools?: unknown }): Block[] {
  const reader = new StepReader()
  const steps = [...reader.executed(message.executed_tools), ...reader.rest(message.provider_content), ...reader.end()]
  return steps.filter(isStep).flatMap(stepBlocks)
}

function reasoningOf(message: AnswerMessage & { reasoning_details?: unknown }, provider: string): Block[] {
  const isOwn = message.provider_content?.type === 'anthropic'
  const details = isOwn ? recordsIn(message.reasoning_details) : packContent(message)
  const own = details.filter(isOwnReasoning)
  if (own.length > 0) return own.map(ownBlock)
  const thinking = textOf(message.reasoning_content)
  const signature = details.length > 0 ? seal(details, provider) : ''
  if (thinking) return [{ type: 'thinking', thinking, signature }]
  return signature ? [{ type: 'redacted_thinking', data: signature }] : []
}

function ownBlock(detail: Fields): Block {
  return { ...detail, type: textOf(detail.type).slice('anthropic.'.length) }
}

function toolUse({ id, function: called, custom }: ToolCall): Block {
  const { name, input } = recordOf(custom)
  if (!called) return { type: 'tool_use', id, name: textOf(name), input: { input } }
  return { type: 'tool_use', id, name: called.name, input: inputOf(called.arguments) }
}

/** Arguments that are cut off, or are not an object, are passed on unchanged. */
function inputOf(json: string): Fields {
  const value = tryParse(json || '{}', parseToSend)
  return isRecord(value) ? value : { _raw: json }
}
