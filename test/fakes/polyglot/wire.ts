import type { SeenRequest } from '../provider.ts'

// One provider's format, from the server's side: it parses requests strictly and answers in its own format. Shares no code
// with the dialects that it checks.

export type Fields = Record<string, unknown>

/** What a server reads from a request, in any format. */
export type ReceivedRequest = {
  model: string
  stream: boolean
  system: string
  /** The user's last message. */
  text: string
  images: { type: string; bytes: number }[]
  /** Names of the tools that may be called. */
  tools: string[]
  /** The tool that the request demands, of which one call is enough. */
  forced?: string | undefined
  /** Tool results since the user's last message. */
  results: { id: string; text: string }[]
  schema: unknown
  thinks: boolean
  /** How many turns the conversation has, where a test needs to know. */
  turns?: number
}

type Call = { id: string; name: string; input: Fields }
export type Answer = { thinking: string; text: string[]; calls: Call[] }

export type Wire = {
  /** Throws a `Refusal` for requests that the real server would refuse. Undefined: the path belongs to another format. */
  hear(request: SeenRequest): ReceivedRequest | undefined
  whole(answer: Answer, received: ReceivedRequest): object
  frames(answer: Answer, received: ReceivedRequest): Uint8Array[]
  /** An error instead of an answer, and one in the middle of it. */
  failure(status: number, message: string): object
  /** The words of the server for a prompt that is longer than its context. */
  tooLong: string
  broken(message: string): Uint8Array
  contentType: string
}

/**
 * Counts that every format reports in its own way: of 100 input tokens, 30 came from a cache; of 20 output tokens, 5 were
 * reasoning.
 */
export const COUNTS = { read: 100, cached: 30, written: 20, thought: 5 }

/** The signature of earlier thinking, which has to come back with it. */
export const SEAL = 'c2VhbGVk'

export class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export function demand(isGood: unknown, sentence: string, status = 400): asserts isGood {
  if (!isGood) throw new Refusal(status, sentence)
}

/** Servers refuse unknown fields and nulls. */
export function onlyKnown(body: Fields, known: string): void {
  const names = new Set(known.split(/\s+/))
  for (const field of Object.keys(body)) {
    demand(names.has(field), `${field}: Extra inputs are not permitted`)
    demand(body[field] !== null, `${field}: null is not permitted`)
  }
}

/** Checks that the roles alternate and that the user begins. */
export function alternatesRoles(roles: unknown[], other: string): void {
  demand(roles.length > 0, 'messages: at least one message is required')
  for (const [at, role] of roles.entries())
    demand(role === (at % 2 === 0 ? 'user' : other), `messages.${at}: roles must alternate, beginning with user`)
}

export function sse(event: object, name?: string): Uint8Array {
  return Buffer.from(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
}

/** JSON text in pieces, as models generate it. */
export function pieces(input: Fields): string[] {
  return JSON.stringify(input).match(/[\s\S]{1,6}/gu) ?? []
}

/** An image in a data URL. */
export function imageIn(url: unknown): ReceivedRequest['images'][number] {
  const [, type = '', base64] = /^data:([^;]+);base64,(.*)$/s.exec(String(url)) ?? []
  return { type, bytes: bytesIn(base64) }
}

export function bytesIn(base64: unknown): number {
  demand(typeof base64 === 'string' && base64 !== '', 'an image has to have data')
  return Buffer.from(base64, 'base64').length
}
