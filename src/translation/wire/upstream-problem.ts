import type { Usage } from '../../contract/chat-reply.ts'

/** How much of an answer with an error status is read. The rest of a longer one says nothing new. */
export const MAX_ERROR_BYTES = 256 * 1024

export type ProblemKind =
  | 'auth'
  | 'bad_request'
  | 'conflict'
  | 'content_policy'
  | 'context_length'
  | 'empty'
  | 'garbage'
  | 'model_not_found'
  | 'overloaded'
  | 'rate_limited'
  | 'rejected'
  | 'server_error'
  | 'timeout'
  | 'too_early'
  | 'too_large'
  | 'unexpected_status'
  | 'cut'
  | 'unreadable'

/** The provider answered, but not with the requested result. */
export class UpstreamProblem extends Error {
  readonly kind: ProblemKind
  readonly status: number | undefined
  readonly code: string | undefined
  readonly param: string | undefined
  retryAfterSeconds: number | undefined
  /** What an answer used that came and is of no use. It is billed all the same. */
  usage: Usage | undefined

  constructor(kind: ProblemKind, message: string, more: { status?: number; code?: string; param?: string } = {}) {
    super(message)
    this.kind = kind
    this.status = more.status
    this.code = more.code
    this.param = more.param
  }
}

const BY_STATUS: Record<number, ProblemKind> = {
  // Only these are about the request of the caller. Methods, headers, versions and addresses are the gateway's own.
  400: 'bad_request',
  413: 'too_large',
  422: 'bad_request',
  401: 'auth',
  402: 'auth',
  403: 'auth',
  404: 'model_not_found',
  410: 'model_not_found',
  408: 'timeout',
  409: 'conflict',
  423: 'conflict',
  // The model, or a server behind the provider's own, failed.
  424: 'server_error',
  425: 'too_early',
  429: 'rate_limited',
  // Tavily: the limit of the plan, or the limit that its owner set, is reached.
  432: 'auth',
  433: 'auth',
  // DeepL: the quota of the account is used up.
  456: 'auth',
  // An invalid token, and a server in between that gave up waiting.
  498: 'auth',
  499: 'server_error',
  503: 'overloaded',
  504: 'timeout',
  // Cloudflare, which could not connect to the provider, or waited in vain.
  522: 'timeout',
  524: 'timeout',
  529: 'overloaded',
}

/** The kind of problem that a status means if the body says nothing more. */
export function kindOfStatus(status: number): ProblemKind {
  return BY_STATUS[status] ?? KIND_OF_CLASS[Math.floor(status / 100)] ?? 'unexpected_status'
}

/** What any other status of a class means. An error that came with 200 is one of the server. */
const KIND_OF_CLASS: Record<number, ProblemKind> = { 2: 'server_error', 4: 'rejected', 5: 'server_error' }
