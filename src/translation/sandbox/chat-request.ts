import { createHash } from 'node:crypto'
import type { WireRequest } from '../wire/wire.ts'
import { type Message, readMessage } from './conversation.ts'
import { isRecord, type Fields, listOf, recordOf } from '../../base/schema/record.ts'
import { invalidRequest, UpstreamError } from './upstream-error.ts'

export type ChatRequest = {
  /** Equal for equal requests, streamed or not. */
  fingerprint: string
  model: string
  messages: Message[]
  stream: boolean
  includeUsage: boolean
  choiceCount: number
  maxTokens: number
  stop: string[]
  /** Everything else: tools, functions, response_format. */
  body: Fields
}

const MAX_CHOICES = 128
const MAX_STOPS = 16
/** Searching for a long text can take its length times the length of the answer. */
const MAX_STOP_CHARS = 200

export function readJsonBody(request: WireRequest): Fields {
  checkAddress(request)
  return parse(request.body)
}

export function readChatRequest(body: Fields): ChatRequest {
  return {
    fingerprint: fingerprintOf(body),
    model: readModel(body),
    messages: readMessages(body),
    stream: body.stream === true,
    includeUsage: recordOf(body.stream_options).include_usage === true,
    choiceCount: readChoiceCount(body),
    maxTokens: readMaxTokens(body),
    stop: readStop(body),
    body,
  }
}

function checkAddress({ method, url }: WireRequest): void {
  const { pathname } = new URL(url)
  if (method === 'POST' && pathname.endsWith('/chat/completions')) return
  const message = `The sandbox has nothing at ${method} ${pathname}.`
  throw new UpstreamError(404, { message, type: 'invalid_request_error', param: null, code: 'unknown_url' })
}

function parse(body: WireRequest['body']): Fields {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body ?? undefined)
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // Invalid JSON and JSON of another type get the same answer.
  }
  throw invalidRequest('The body of the request is not a JSON object.', null)
}

function fingerprintOf(body: Fields): string {
  const text = JSON.stringify({ ...body, stream: undefined, stream_options: undefined })
  return createHash('sha256').update(text).digest('hex').slice(0, 24)
}

function readModel({ model }: Fields): string {
  if (typeof model === 'string' && model !== '') return model
  throw invalidRequest('The request contains no model.', 'model')
}

function readMessages({ messages }: Fields): Message[] {
  if (!Array.isArray(messages) || messages.length === 0) throw invalidRequest('There are no messages.', 'messages')
  return messages.map(readMessage)
}

function readChoiceCount({ n }: Fields): number {
  const count = n ?? 1
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= MAX_CHOICES) return count
  throw invalidRequest(`n has to be a whole number from 1 to ${MAX_CHOICES}.`, 'n')
}

function readMaxTokens({ max_completion_tokens, max_tokens }: Fields): number {
  const limit = max_completion_tokens ?? max_tokens ?? Number.POSITIVE_INFINITY
  if (typeof limit === 'number' && limit >= 1) return Math.floor(limit)
  throw invalidRequest('The token limit has to be a whole number of at least 1.', 'max_tokens')
}

function readStop({ stop }: Fields): string[] {
  const sequences = typeof stop === 'string' ? [stop] : listOf(stop)
  if (sequences.length > MAX_STOPS) throw invalidRequest(`stop accepts at most ${MAX_STOPS} sequences.`, 'stop')
  if (sequences.some((sequence) => String(sequence).length > MAX_STOP_CHARS))
    throw invalidRequest(`A stop sequence may have at most ${MAX_STOP_CHARS} characters.`, 'stop')
  return sequences.filter((sequence) => typeof sequence === 'string' && sequence !== '') as string[]
}
