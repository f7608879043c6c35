import type { ChatChunk, ChatCompletion } from '../../src/contract/chat-reply.ts'
import { API_KEY } from './gateway-under-test.ts'

export type ErrorBody = {
  error: { message: string; type: string; code: string; param: string | null }
  detail?: { loc: (string | number)[]; msg: string; type: string }[]
}
export type WholeReply = {
  status: number
  headers: Headers
  text: string
  completion: ChatCompletion
  failure: ErrorBody
}

/** A streamed reply, read to its end. */
export type StreamedReply = {
  status: number
  headers: Headers
  text: string
  chunks: ChatChunk[]
  comments: string[]
  /** The in-band errors; a well-behaved stream has at most one. */
  errors: ErrorBody[]
  /** How often `[DONE]` came. */
  done: number
}

type PostOptions = { headers?: Record<string, string>; signal?: AbortSignal }

export type ChatClient = {
  post(body: object | string, options?: PostOptions): Promise<Response>
  whole(body: object | string, options?: PostOptions): Promise<WholeReply>
  /** Sets `stream: true`. */
  stream(body: object, options?: PostOptions): Promise<StreamedReply>
}

export const HELLO = { messages: [{ role: 'user', content: 'Hello' }] }
/** A request that any provider accepts. */
export const ASK = { model: 'openai/gpt-4o-mini', ...HELLO }

/** A plain HTTP client of the chat endpoint that hides and repairs nothing. */
export function chatClient(url: string): ChatClient {
  return { post, whole, stream }

  function post(body: object | string, { headers, signal }: PostOptions = {}): Promise<Response> {
    return fetch(`${url}/v3/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}`, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      redirect: 'manual',
      signal: signal ?? null,
    })
  }

  async function whole(body: object | string, options?: PostOptions): Promise<WholeReply> {
    const response = await post(body, options)
    const text = await response.text()
    const value = JSON.parse(text)
    return { status: response.status, headers: response.headers, text, completion: value, failure: value }
  }

  async function stream(body: object, options?: PostOptions): Promise<StreamedReply> {
    const response = await post({ ...body, stream: true }, options)
    const { status, headers } = response
    return { status, headers, ...readStream(await textUntilError(response.body!)) }
  }
}

/** No error event is longer. */
const TAIL_CHARS = 16_000

/** The text up to the end or to an error event, where a client closes as the SDKs do: the body behind it has no end. */
export async function textUntilError(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  const pieces: string[] = []
  let tail = ''
  for await (const bytes of body) {
    const piece = decoder.decode(bytes, { stream: true })
    pieces.push(piece)
    tail += piece
    if (/^data: {"error":.*\n\n/m.test(tail)) break
    tail = tail.slice(-TAIL_CHARS)
  }
  return pieces.join('') + decoder.decode()
}

/** Parses a stream by the grammar that we promise: comments and one-line `data:` events, each with a blank line. */
export function readStream(text: string): Omit<StreamedReply, 'status' | 'headers'> {
  const reply = { text, chunks: [] as ChatChunk[], comments: [] as string[], errors: [] as ErrorBody[], done: 0 }
  if (text.startsWith('{')) return { ...reply, errors: [JSON.parse(text)] }
  if (text !== '' && !text.endsWith('\n\n')) throw new Error('the stream ends in the middle of an event')
  for (const event of text.split('\n\n').slice(0, -1)) {
    if (event.startsWith(':')) reply.comments.push(event.slice(1))
    else readData(event, reply)
  }
  return reply
}

function readData(event: string, reply: Omit<StreamedReply, 'status' | 'headers'>): void {
  if (!event.startsWith('data: ') || event.includes('\n')) throw new Error(`not one data line: ${event}`)
  const data = event.slice('data: '.length)
  if (reply.done > 0 && data !== '[DONE]') throw new Error('data after [DONE]')
  if (data === '[DONE]') reply.done++
  else if ('error' in JSON.parse(data)) reply.errors.push(JSON.parse(data))
  else reply.chunks.push(JSON.parse(data))
}
