import type { ChatRequest, Message } from '../../../contract/chat.ts'
import { type RequestFields, requestFields } from '../request/request-fields.ts'
import { textOfPart } from '../request/messages.ts'
import { requestHeaders } from '../request/request-headers.ts'
import { PastCalls } from '../request/past-calls.ts'
import { cannotTake } from '../cannot-take.ts'
import { claudeLimit } from '../claude-limit.ts'
import { claudeThinking, type Effort, isThinking, type ThinkingConfig, withoutConflicts } from '../claude-thinking.ts'
import type { ChatCall, Encoded, Target } from '../chat-codec.ts'
import { Notes } from '../notes.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'
import { settleEdges } from '../turns.ts'
import { type AnswerFormat, answerFormat } from './answer-format.ts'
import { settleMarks } from './cache-marks.ts'
import { encodeMessages } from './messages.ts'
import type { Encoding } from './encoding.ts'
import type { Block, MessagesBody, TextBlock } from './messages-body.ts'
import { namedFields, passOn } from './other-fields.ts'
import { continueContainer, endsPaused } from './provider-content.ts'
import { reasoningOf } from './reasoning-details.ts'
import { sampling } from './sampling.ts'
import { type Tools, toTools } from './tools.ts'
import { writeJson } from '../../json/written-numbers.ts'

// https://platform.claude.com/docs/en/api/messages

const VERSION = '2023-06-01'
/** The API requires a limit. This is the default if neither the caller nor the catalog names one. */
const DEFAULT_MAX_TOKENS = 4096
/** Some models require it for `speed`; the others ignore it. */
const FAST_BETA = 'fast-mode-2026-02-01'

export function encode({ request }: ChatCall, target: Target): Encoded {
  const notes = new Notes()
  const betas = new Set<string>()
  const body = bodyFor(request, target, notes, betas)
  Object.assign(body, request.extra_body, { model: target.model })
  const ours = { 'anthropic-version': VERSION, ...betaHeader(betas, request.extra_headers) }
  const headers = requestHeaders(request, ours)
  return {
    wire: { method: 'POST', url: `${target.baseUrl}/messages`, headers, body: writeJson(body, request) },
    notes: notes.list,
  }
}

/** Every block in the body is new: the caller's request is never changed. */
export function bodyFor(request: ChatRequest, target: Target, notes: Notes, betas: Set<string>): MessagesBody {
  const { traits } = target
  const fields = requestFields(request, target, notes)
  if ('speed' in fields) betas.add(FAST_BETA)
  const tools = toTools(fields, traits, notes)
  const { maxTokens, config, effort } = settleThinking(fields, target, tools, notes)
  const thinks = isThinking(config)
  const canForce = !thinks && !traits?.refuses?.includes('tool_choice')
  const answer = answerFormat(fields, { hasTools: tools.tools.length > 0, canForce, traits }, notes)
  const calls = new PastCalls('Anthropic')
  const encoding = { traits, notes, betas, takesReasoning: takesReasoning(config, target), calls }
  const body: MessagesBody = {
    model: target.model,
    max_tokens: maxTokens,
    ...conversation(fields, answer, encoding),
    ...toolFields(tools, answer),
    ...(config && { thinking: config }),
    ...outputConfig(effort, answer),
    ...sampling(fields, thinks, notes),
    ...namedFields(fields, notes),
  }
  passOn(fields, body, thinks, notes)
  continueContainer(fields.messages, body)
  settleMarks(body, traits, notes)
  return body
}

function settleThinking(fields: RequestFields, { traits }: Target, { choice }: Tools, notes: Notes) {
  const conflicts = { forced: choice?.type === 'any' || choice?.type === 'tool', unsigned: endsUnsigned(fields) }
  const { config, effort } = withoutConflicts(claudeThinking(fields, traits?.thinking, notes), conflicts, notes)
  const fallback = traits?.maxOutput ?? DEFAULT_MAX_TOKENS
  const limit = claudeLimit(fields, { traits, config, fallback }, notes)
  return { config: limit.config, maxTokens: limit.maxTokens ?? fallback, effort }
}

/** The last answer that is sent called tools, and its signed reasoning is missing. */
function endsUnsigned({ messages }: RequestFields): boolean {
  const last = messages.findLast((message) => message.role === 'assistant' && isSent(message))
  return last !== undefined && hasCalls(last) && reasoningOf(last).length === 0
}

/** An answer without content is not sent. */
function isSent(message: Message): boolean {
  const { content, provider_content } = message
  const texts = Array.isArray(content) ? content.map(textOfPart) : [content, (message as Fields).refusal]
  return (
    hasCalls(message) ||
    provider_content != null ||
    texts.some((text) => /\S/.test(textOf(text))) ||
    reasoningOf(message).length > 0
  )
}

function hasCalls({ tool_calls, function_call }: Message): boolean {
  return (Array.isArray(tool_calls) && tool_calls.length > 0) || function_call != null
}

/** Whether the reasoning of earlier turns is sent along. A request without thinking must not contain any. */
function takesReasoning(config: ThinkingConfig | undefined, { traits }: Target): boolean {
  if (config) return isThinking(config)
  const how = traits?.thinking
  return !how || how.byDefault === true || how.always === true
}

function conversation(fields: RequestFields, { instruction }: AnswerFormat, encoding: Encoding) {
  const { system, turns } = encodeMessages(fields.messages, instruction, encoding)
  if (system.length + turns.length === 0)
    throw cannotTake(['messages'], 'Anthropic needs at least one message to answer')
  const traits = endsPaused(turns) ? { ...encoding.traits, prefill: true } : encoding.traits
  const messages = settleEdges(turns, (text): Block => ({ type: 'text', text }), traits, encoding.notes)
  return system.length === 0 ? { messages } : { system: plainSystem(system), messages }
}

function plainSystem(blocks: TextBlock[]): string | TextBlock[] {
  const hasMarks = blocks.some(({ cache_control }) => cache_control)
  return hasMarks ? blocks : blocks.map(({ text }) => text).join('\n\n')
}

function toolFields({ tools, choice }: Tools, { tool }: AnswerFormat): Pick<MessagesBody, 'tools' | 'tool_choice'> {
  if (tool) return { tools: [tool], tool_choice: { type: 'tool', name: tool.name } }
  return tools.length === 0 ? {} : { tools, ...(choice && { tool_choice: choice }) }
}

function outputConfig(effort: Effort | undefined, { format }: AnswerFormat): Pick<MessagesBody, 'output_config'> {
  if (!effort && !format) return {}
  return { output_config: { ...(effort && { effort }), ...(format && { format }) } }
}

/** Betas that the caller requests by header are sent together with those that the body needs. */
function betaHeader(
  betas: ReadonlySet<string>,
  request: Readonly<Record<string, string>> | null | undefined,
): Record<string, string> {
  const requested = new Set(betas)
  for (const name in request) {
    if (name.toLowerCase() !== 'anthropic-beta') continue
    for (const beta of request[name]!.split(',')) if (beta.trim()) requested.add(beta.trim())
  }
  return requested.size > 0 ? { 'anthropic-beta': [...requested].join(',') } : {}
}
