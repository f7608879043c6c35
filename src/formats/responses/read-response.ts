import type { ChatCompletion, ReplyMessage, ToolCall } from '../../contract/chat-reply.ts'
import { partsOf, pieceOf } from '../../dialects/answer/unreadable-event.ts'
import { kindOfStatus, UpstreamProblem } from '../../wire/upstream-problem.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../schema/record.ts'
import { itemsIn } from './read-items.ts'
import { logprobsIn } from './logprobs.ts'
import { reasoningDetails } from './reasoning-details.ts'
import { readUsage } from './usage.ts'
import { toNumber } from '../../schema/to-primitive.ts'

// Reads the answer of a provider's responses endpoint in our own format, for hooks, the ledger and billing.

/** States of a response that has no answer yet, or never will. */
const UNFINISHED: ReadonlySet<unknown> = new Set(['in_progress', 'queued', 'cancelled'])

export function isResponse(value: unknown): value is Fields {
  return isRecord(value) && Array.isArray(value.output)
}

/** `provider` is the one that can read its encrypted reasoning again. */
export function readResponse(response: Fields, provider?: string): ChatCompletion {
  if (response.status === 'failed' || response.error) throw failureIn(response.error)
  if (UNFINISHED.has(response.status))
    throw new UpstreamProblem('cut', `the provider sent a response that is ${response.status}`)
  const message = messageOf(partsOf(response.output), provider)
  const logprobs = logprobsIn(recordsIn(response.output))
  const usage = readUsage(response.usage, hostedTools(recordsIn(response.output)))
  return {
    id: textOf(response.id),
    object: 'chat.completion',
    created: Math.floor(toNumber(response.created_at)) || 0,
    model: textOf(response.model),
    choices: [{ index: 0, message, ...logprobs, finish_reason: finishOf(response, Boolean(message.tool_calls)) }],
    ...(usage && { usage }),
    ...(typeof response.service_tier === 'string' && { service_tier: response.service_tier }),
  }
}

/** The tools that the provider ran: the types of their items, one for each use. */
export function hostedTools(output: readonly Fields[]): string[] {
  return output.flatMap(({ type }) => /^(\w+)_call$/.exec(textOf(type))?.[1] ?? []).filter(isHosted)
}

function isHosted(name: string): boolean {
  return !CALLED_HERE.has(name)
}

const CALLED_HERE: ReadonlySet<string> = new Set(['function', 'custom_tool'])

export function finishOf({ status, incomplete_details }: Fields, hasCalls: boolean) {
  if (status === 'incomplete')
    return recordOf(incomplete_details).reason === 'content_filter' ? 'content_filter' : 'length'
  return hasCalls ? 'tool_calls' : 'stop'
}

export function failureIn(error: unknown): UpstreamProblem {
  const { message = error, code } = recordOf(error)
  const status = code === 'rate_limit_exceeded' ? 429 : code === 'invalid_prompt' ? 400 : 500
  const sentence = textOf(message) || 'the provider failed to make a response'
  return new UpstreamProblem(kindOfStatus(status), sentence, { status, ...(textOf(code) && { code: textOf(code) }) })
}

function messageOf(output: Fields[], provider: string | undefined): ReplyMessage {
  const parts = output.flatMap(({ type, content }) => (type === 'message' ? partsOf(content) : recordsIn(content)))
  const texts = (type: string, field: string) =>
    parts.filter((part) => part.type === type).map((part) => pieceOf(part[field]))
  const reasoning = output.flatMap(({ summary }) => recordsIn(summary)).map(({ text }) => textOf(text))
  const details = output.flatMap((item) => reasoningDetails(item, provider))
  const calls = output.flatMap(toolCall)
  const refusal = texts('refusal', 'refusal').join('')
  return {
    role: 'assistant',
    content: texts('output_text', 'text').join('') || null,
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join('\n') }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(refusal && { refusal }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...itemsIn(output),
  }
}

function toolCall({ type, call_id, name, arguments: json, input }: Fields): ToolCall[] {
  const id = textOf(call_id)
  if (type === 'custom_tool_call') return [{ id, type: 'custom', custom: { name, input } }]
  if (type !== 'function_call') return []
  return [{ id, type: 'function', function: { name: textOf(name), arguments: pieceOf(json) } }]
}
