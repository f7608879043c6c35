// Requests to providers and their answers, before a dialect reads them.

export type WireRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers: Record<string, string>
  body: string | Uint8Array | null
  /** Replaces the body if it is too large for memory. */
  source?: WireSource
}

/** Bytes that are stored elsewhere and read again for every attempt. */
export type WireSource = { length: number; read(): AsyncIterable<Uint8Array> }

export type WireResponse = {
  status: number
  headers: Record<string, string | string[] | undefined>
  /**
   * The body is pulled, so that a slow reader slows down the provider; leaving the loop early closes the provider's socket.
   */
  body: WireBody
}

export type WireBody = AsyncIterable<Uint8Array> & {
  /** Returns the whole body if it has already arrived, as with most short answers. Reading it then takes no waiting. */
  takeComplete?(): Uint8Array[] | undefined
}

/** One server-sent event. */
export type WireEvent = { event?: string | undefined; data: string }

/** `owner` is the owner of the request. Owners share the connections fairly. */
export type SendOptions = {
  signal: AbortSignal
  timeouts: WireTimeouts
  owner: string
  report?: SendReport | undefined
}

/** What is found out about an exchange while it runs, for the request log. The client fills it in. */
export type SendReport = {
  status: number | null
  /** The provider's id of the request. */
  upstreamId: string | null
  /** How long it took to open a connection; null if an open one was used. */
  connectMs: number | null
  /** The time from the beginning, with the wait for a connection, to the head of the answer. */
  firstByteMs: number | null
  /** When the request was ready to be sent, and when bytes of the answer arrived last, by `performance.now()`; 0 before that. */
  sentAt: number
  arrivedAt: number
  /** The provider may have got the request. Before that, it has cost nothing. */
  isWritten: boolean
  /** The id of the attempt's span, if calls are traced. */
  spanId: string | null
  /** What the provider is told about the trace; null if it is told nothing. */
  traceparent: string | null
}

/** The part of it that is known before the exchange. */
export type AttemptSpan = Readonly<Pick<SendReport, 'spanId' | 'traceparent'>>

export const UNTRACED: AttemptSpan = { spanId: null, traceparent: null }

export function newSendReport({ spanId, traceparent }: AttemptSpan = UNTRACED): SendReport {
  return {
    status: null,
    upstreamId: null,
    connectMs: null,
    firstByteMs: null,
    sentAt: 0,
    arrivedAt: 0,
    isWritten: false,
    spanId,
    traceparent,
  }
}

/** The owner of requests by the gateway itself. No key can name this owner. */
export const GATEWAY_OWNER = ''

/** How long a provider may take to accept a connection, to start its answer and to continue it. */
export type WireTimeouts = { connectMs?: number; headersMs: number; idleMs: number }

export type Send = (request: WireRequest, options: SendOptions) => Promise<WireResponse>

export type FailureKind =
  | 'refused'
  | 'reset'
  | 'dns'
  | 'tls'
  | 'proxy'
  | 'connect_timeout'
  | 'headers_timeout'
  | 'first_token_timeout'
  | 'idle_timeout'
  | 'protocol'
  | 'exhausted'

/** The provider could not be reached, or closed the connection. The `message` never contains a host, an address or a key. */
export class WireFailure extends Error {
  readonly kind: FailureKind
  constructor(kind: FailureKind, cause?: unknown, sentence = SENTENCES[kind]) {
    super(sentence, { cause })
    this.kind = kind
  }
}

const SENTENCES: Record<FailureKind, string> = {
  refused: 'the provider refused the connection',
  reset: 'the provider closed the connection before its answer was complete',
  dns: "the provider's name could not be resolved",
  tls: 'a secure connection to the provider could not be made',
  proxy: 'the outbound proxy did not open a connection to the provider',
  connect_timeout: 'the provider did not accept a connection in time',
  headers_timeout: 'the provider did not start to answer in time',
  first_token_timeout: 'the provider did not send the first token of its answer in time',
  idle_timeout: 'the provider stopped sending in the middle of its answer',
  protocol: 'the provider sent something that is not valid HTTP',
  exhausted: 'the gateway has no connection left for this provider',
}
