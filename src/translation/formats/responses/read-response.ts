import type { ToolCall } from '../../../contract/chat-reply.ts'
import type { Answer, AnswerMessage } from '../../wire/answer.ts'
import { type Ending, endingOf, unfinished } from '../../dialects/answer/finish-reason.ts'
import { partsOf, pieceOf } from '../../dialects/answer/unreadable-event.ts'
import { billedAnyway } from '../../dialects/answer/whole-answer.ts'
import { kindOfStatus, UpstreamProblem } from '../../wire/upstream-problem.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { itemsIn } from './read-items.ts'
import { logprobsIn } from './logprobs.ts'
import { reasoningDetails } from './reasoning-details.ts'
import { readUsage } from './usage.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'

// Reads the answer of a provider's responses endpoint in our own format, for hooks, the ledger and billing.

export function isResponse(value: unknown): value is Fields {
  return isRecord(value) && Array.isArray(value.output)
}

/** `provider` is the one that can read its encrypted reasoning again. */
export function readResponse(response: Fields, provider?: string): Answer {
  const usage = readUsage(response.usage, hostedTools(recordsIn(response.output)))
  if (response.error) throw failureIn(response.error)
  const message = messageOf(partsOf(response.output), provider)
  const logprobs = logprobsIn(recordsIn(response.output))
  const end = billedAnyway(usage, () => responseEnding(response, Boolean(message.tool_calls)))
  return {
    id: textOf(response.id),
    object: 'chat.completion',
    created: Math.floor(toNumber(response.created_at)) || 0,
    model: textOf(response.model),
    choices: [{ index: 0, message, ...logprobs, ...end }],
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

/** The status says how a response ended, and a reason why it is incomplete. Throws if it has no answer yet, or never will. */
export function responseEnding({ status, incomplete_details, error }: Fields, hasCalls: boolean): Ending {
  if (status === 'failed') throw failureIn(error)
  if (PENDING.has(status)) throw new UpstreamProblem('cut', `the provider sent a response that is ${status}`)
  const end = endingOf(status === 'incomplete' ? (recordOf(incomplete_details).reason ?? status) : status)
  if (status !== 'incomplete') return end.finish_reason === 'stop' && hasCalls ? { finish_reason: 'tool_calls' } : end
  return isCut(end) ? end : unfinished(status)
}

/** States of a response that has no answer yet. */
const PENDING: ReadonlySet<unknown> = new Set(['in_progress', 'queued'])

/** A response that is incomplete never ended properly, whatever the reason says. */
function isCut({ finish_reason }: Ending): boolean {
  return finish_reason === 'length' || finish_reason === 'content_filter'
}

export function failureIn(error: unknown): UpstreamProblem {
  const { message = error, code } = recordOf(error)
  const status = code === 'rate_limit_exceeded' ? 429 : code === 'invalid_prompt' ? 400 : 500
  const sentence = textOf(message) || 'the provider failed to make a response'
  return new UpstreamProblem(kindOfStatus(status), sentence, { status, ...(textOf(code) && { code: textOf(code) }) })
}

function messageOf(output: Fields[], provider: string | undefined): AnswerMessage {
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
