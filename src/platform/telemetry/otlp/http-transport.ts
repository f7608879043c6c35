import type { CollectorAnswer, SignalTarget, Transport } from './collector.ts'
import type { OtlpFormat } from './format.ts'

/** As OTLP says; every other error is final. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])

export type HttpRequest = {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: Uint8Array
}
export type HttpAnswer = {
  readonly status: number
  readonly retryAfterSeconds: number | undefined
  readonly body: Uint8Array
}
/** Sends a request, and rejects if no answer comes in time. */
type Post = (request: HttpRequest, timeoutMs: number, signal: AbortSignal) => Promise<HttpAnswer>

/** OTLP over HTTP, in either encoding. */
export function overHttp({ url, headers, timeoutMs }: SignalTarget, format: OtlpFormat, post: Post): Transport {
  const plain = { 'content-type': format.contentType, ...headers }
  return async ({ bytes, isCompressed }, signal) => {
    const own = isCompressed ? { ...plain, 'content-encoding': 'gzip' } : plain
    return answerOf(await post({ url, headers: own, body: bytes }, timeoutMs, signal), format)
  }
}

function answerOf({ status, retryAfterSeconds, body }: HttpAnswer, format: OtlpFormat): CollectorAnswer {
  if (status >= 200 && status < 300) return { kind: 'taken', rejected: format.rejectedIn(body) }
  const why = `status ${status}`
  if (!RETRYABLE.has(status)) return { kind: 'refused', why }
  return { kind: 'later', why, afterMs: retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1_000 }
}
