// What goes to an upstream and comes back from it, before any dialect has read it.

export type WireRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers: Record<string, string>
  body: string | Uint8Array | null
  /** In the place of the body, where it is too large for memory. */
  source?: WireSource
}

/** Bytes that lie elsewhere, read anew for every attempt. */
export type WireSource = { length: number; read(): AsyncIterable<Uint8Array> }

export type WireResponse = {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Pulled, so that a slow reader slows the upstream down; leaving the loop early closes the upstream's socket. */
  body: WireBody
}

export type WireBody = AsyncIterable<Uint8Array> & {
  /** The whole body when it is here already, as with most short answers: reading it then takes no waiting. */
  takeComplete?(): Uint8Array[] | undefined
}

/** One server-sent event. */
export type WireEvent = { event?: string | undefined; data: string }

/** Connections are shared fairly between owners: `owner` is whose request it is. */
export type SendOptions = { signal: AbortSignal; limits: WireLimits; owner: string }

/** For requests of the gateway itself. No key can name this owner. */
export const GATEWAY_OWNER = ''

/** How long an upstream may take: to accept a connection, to begin its answer, to go on with it. */
export type WireLimits = { connectMs?: number; headersMs: number; idleMs: number }

export type Send = (request: WireRequest, options: SendOptions) => Promise<WireResponse>

export type FailureKind =
  | 'refused'
  | 'reset'
  | 'dns'
  | 'tls'
  | 'connect_timeout'
  | 'headers_timeout'
  | 'first_token_timeout'
  | 'idle_timeout'
  | 'protocol'
  | 'exhausted'

/** The upstream could not be reached, or went away. Its `message` never holds a host, an address or a key. */
export class WireFailure extends Error {
  readonly kind: FailureKind
  constructor(kind: FailureKind, cause?: unknown) {
    super(SENTENCES[kind], { cause })
    this.kind = kind
  }
}

const SENTENCES: Record<FailureKind, string> = {
  refused: 'the provider refused the connection',
  reset: 'the provider closed the connection before its answer was complete',
  dns: "the provider's name could not be resolved",
  tls: 'a secure connection to the provider could not be made',
  connect_timeout: 'the provider did not accept a connection in time',
  headers_timeout: 'the provider did not start to answer in time',
  first_token_timeout: 'the provider did not send the first word of its answer in time',
  idle_timeout: 'the provider stopped sending in the middle of its answer',
  protocol: 'the provider sent something that is not valid HTTP',
  exhausted: 'the gateway has no connection left for this request',
}
