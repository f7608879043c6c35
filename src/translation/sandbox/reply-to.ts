import { type CalledTool, calledTool, demandsCall } from './called-tool.ts'
import type { ChatRequest } from './chat-request.ts'
import { endsWithUser, lastWords, promptText } from './conversation.ts'
import { documentFromSchema } from './document-from-schema.ts'
import { recordOf } from '../../base/schema/record.ts'
import { clipToTokens, estimateTokens } from './token-estimate.ts'

/** A reply before it is written as one document or as chunks. All choices are equal. */
export type Reply = {
  fingerprint: string
  created: number
  model: string
  stream: boolean
  includeUsage: boolean
  choiceCount: number
  answer: Answer
  finishReason: 'stop' | 'length' | 'tool_calls' | 'function_call'
  usage: { promptTokens: number; completionTokens: number }
}

/** `text` is the content, or the arguments of a tool call. */
export type Answer = { kind: 'text'; text: string } | { kind: CalledTool['kind']; name: string; text: string }

/** The model that calls a tool whenever there is one, and answers in text to its result. */
const TOOLS = 'tools'

// The limit holds for all choices together: a long prompt and a large `n` must not fill the memory.
const MAX_ANSWER_TOKENS = 1_000_000

export function replyTo(chat: ChatRequest, created: number): Reply {
  const { fingerprint, model, stream, includeUsage, choiceCount } = chat
  const whole = stopped(compose(chat), chat.stop)
  const answer = { ...whole, text: clipToTokens(whole.text, tokenLimit(chat)) }
  const usage = {
    promptTokens: estimateTokens(promptText(chat.messages)),
    completionTokens: estimateTokens(answer.text) * choiceCount,
  }
  const finishReason = answer.text.length < whole.text.length ? 'length' : FINISH_REASONS[answer.kind]
  return { fingerprint, created, model, stream, includeUsage, choiceCount, answer, finishReason, usage }
}

const FINISH_REASONS = { text: 'stop', function: 'tool_calls', custom: 'tool_calls', legacy: 'function_call' } as const

/** Clients list their tools with every request, so tools alone are no wish for a call. */
function compose({ messages, body, model }: ChatRequest): Answer {
  const text = lastWords(messages)
  const calls = demandsCall(body) || (model === TOOLS && endsWithUser(messages))
  const tool = calls ? calledTool(body) : null
  return tool ? callOf(tool, text) : { kind: 'text', text: formatted(text, body.response_format) }
}

function callOf({ kind, name, schema }: CalledTool, text: string): Answer {
  if (kind === 'custom') return { kind, name, text }
  return { kind, name, text: JSON.stringify(documentFromSchema({ type: 'object', ...recordOf(schema) }, text)) }
}

function formatted(text: string, format: unknown): string {
  const { type, json_schema } = recordOf(format)
  if (type === 'json_schema') return JSON.stringify(documentFromSchema(recordOf(json_schema).schema, text))
  return type === 'json_object' ? JSON.stringify({ echo: text }) : text
}

function stopped(answer: Answer, stop: string[]): Answer {
  if (answer.kind !== 'text') return answer
  const places = stop.map((sequence) => answer.text.indexOf(sequence)).filter((index) => index >= 0)
  return places.length === 0 ? answer : { ...answer, text: answer.text.slice(0, Math.min(...places)) }
}

function tokenLimit({ maxTokens, choiceCount }: ChatRequest): number {
  return Math.min(maxTokens, Math.floor(MAX_ANSWER_TOKENS / choiceCount))
}
