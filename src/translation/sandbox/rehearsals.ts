import { type SendOptions, WireFailure, type WireResponse } from '../wire/wire.ts'
import { unfinishedChunks } from './chunks.ts'
import { completion } from './completion.ts'
import type { Reply } from './reply-to.ts'
import { clip } from './token-estimate.ts'
import { invalidRequest, UpstreamError } from './upstream-error.ts'
import { bytesOf, eventResponse, eventTexts, silence } from './wire-response.ts'

type Rehearsal = (reply: Reply, options: SendOptions) => WireResponse | Promise<WireResponse>

const CONTEXT_TOKENS = 8192
const RETRY_AFTER_SECONDS = 1
const LABEL = '(Simulated by the sandbox.)'
const PAGE = '<!doctype html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>'

/** Models that fail on purpose, as a provider fails on the wire. */
export const REHEARSALS: ReadonlyMap<string, Rehearsal> = new Map<string, Rehearsal>([
  ['fail-429', () => fail(rateLimited())],
  ['fail-500', () => fail(serverError(500, 'The server had an error while it processed the request.'))],
  ['fail-503', () => fail(serverError(503, 'The model is overloaded. Try again later.'))],
  ['refuse', () => fail(new WireFailure('refused'))],
  ['silent', (_, { timeouts, signal }) => silence('headers_timeout', timeouts.headersMs, signal)],
  ['cut', cut],
  ['stall', stall],
  ['garbage', garbage],
  ['context-length', (reply) => fail(contextLength(reply))],
  ['content-filter', () => fail(contentFilter())],
])

function fail(error: Error): never {
  throw error
}

function rateLimited(): UpstreamError {
  const message = `Rate limit reached for requests. Try again in ${RETRY_AFTER_SECONDS}s. ${LABEL}`
  const error = { message, type: 'requests', param: null, code: 'rate_limit_exceeded' }
  return new UpstreamError(429, error, { 'retry-after': String(RETRY_AFTER_SECONDS) })
}

function serverError(status: number, sentence: string): UpstreamError {
  return new UpstreamError(status, { message: `${sentence} ${LABEL}`, type: 'server_error', param: null, code: null })
}

function contextLength({ usage }: Reply): UpstreamError {
  const requested = CONTEXT_TOKENS + usage.promptTokens
  const message = `This model's maximum context length is ${CONTEXT_TOKENS} tokens, but the messages have ${requested}. ${LABEL}`
  return invalidRequest(message, 'messages', 'context_length_exceeded')
}

function contentFilter(): UpstreamError {
  const message = `The request was rejected because it violates the content policy. ${LABEL}`
  return invalidRequest(message, null, 'content_policy_violation')
}

function cut(reply: Reply, { signal }: SendOptions): WireResponse {
  const body = reply.stream ? bytesOf(halfOfStream(reply), signal) : bytesOf([halfOfDocument(reply)], signal)
  return responseLike(reply, thenReset(body))
}

// A provider that stalls before a whole answer has computed nothing yet and sends only headers.
function stall(reply: Reply, options: SendOptions): WireResponse {
  return responseLike(reply, thenSilence(bytesOf(reply.stream ? halfOfStream(reply) : [], options.signal), options))
}

function garbage(reply: Reply, { signal }: SendOptions): WireResponse {
  if (reply.stream) return eventResponse(bytesOf([`data: ${PAGE}\n\n`, 'data: {"choices":[{"del\n\n'], signal))
  return { status: 200, headers: { 'content-type': 'text/html' }, body: bytesOf([PAGE], signal) }
}

function responseLike({ stream }: Reply, body: AsyncIterable<Uint8Array>): WireResponse {
  return stream ? eventResponse(body) : { status: 200, headers: { 'content-type': 'application/json' }, body }
}

function halfOfStream(reply: Reply): Iterable<string> {
  const { answer } = reply
  return eventTexts(unfinishedChunks({ ...reply, answer: { ...answer, text: firstHalf(answer.text) } }))
}

function halfOfDocument(reply: Reply): string {
  return firstHalf(JSON.stringify(completion(reply)))
}

function firstHalf(text: string): string {
  return clip(text, Math.ceil(text.length / 2))
}

async function* thenReset(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* body
  throw new WireFailure('reset')
}

async function* thenSilence(
  body: AsyncIterable<Uint8Array>,
  { timeouts, signal }: SendOptions,
): AsyncGenerator<Uint8Array> {
  yield* body
  await silence('idle_timeout', timeouts.idleMs, signal)
}
