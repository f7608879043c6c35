import type { SeenRequest } from '../provider.ts'

// One provider's wire, as a server sees it: it reads what it is sent, strictly, and answers in its own words. Shares no
// code with the dialects that it is there to check.

export type Fields = Record<string, unknown>

/** What a server makes of a request, whatever the wire. */
export type ReceivedRequest = {
  model: string
  stream: boolean
  system: string
  /** What the user said last. */
  text: string
  images: { type: string; bytes: number }[]
  /** Names of the tools that may be called. */
  tools: string[]
  /** Results of tools, since the user last spoke. */
  results: { id: string; text: string }[]
  schema: unknown
  thinks: boolean
}

export type Call = { id: string; name: string; input: Fields }
export type Answer = { thinking: string; text: string[]; calls: Call[] }

export type Wire = {
  /** Throws a `Refusal` for what the real server would refuse. Undefined: another wire's path. */
  hear(request: SeenRequest): ReceivedRequest | undefined
  whole(answer: Answer, received: ReceivedRequest): object
  frames(answer: Answer, received: ReceivedRequest): Uint8Array[]
  /** An error in place of an answer, and one in the middle of it. */
  failure(status: number, message: string): object
  broken(message: string): Uint8Array
  contentType: string
}

/** Counts that every wire tells in its own way: of 100 tokens read 30 came from a cache, of 20 written 5 were thoughts. */
export const COUNTS = { read: 100, cached: 30, written: 20, thought: 5 }

/** Seals the thoughts of an earlier turn; they have to come back with it. */
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

/** Servers refuse fields that they do not know, and nulls. */
export function onlyKnown(body: Fields, known: string): void {
  const names = new Set(known.split(/\s+/))
  for (const field of Object.keys(body)) {
    demand(names.has(field), `${field}: Extra inputs are not permitted`)
    demand(body[field] !== null, `${field}: null is not permitted`)
  }
}

/** The sides take turns, and the user begins. */
export function alternatesRoles(roles: unknown[], other: string): void {
  demand(roles.length > 0, 'messages: at least one message is required')
  for (const [at, role] of roles.entries())
    demand(role === (at % 2 === 0 ? 'user' : other), `messages.${at}: roles must alternate, beginning with user`)
}

export function sse(event: object, name?: string): Uint8Array {
  return Buffer.from(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
}

/** JSON text in pieces, as models write it. */
export function pieces(input: Fields): string[] {
  return JSON.stringify(input).match(/[\s\S]{1,6}/gu) ?? []
}

/** A picture that travels as a data URL. */
export function imageIn(url: unknown): ReceivedRequest['images'][number] {
  const [, type = '', base64] = /^data:([^;]+);base64,(.*)$/s.exec(String(url)) ?? []
  return { type, bytes: bytesIn(base64) }
}

export function bytesIn(base64: unknown): number {
  demand(typeof base64 === 'string' && base64 !== '', 'an image has to have data')
  return Buffer.from(base64, 'base64').length
}
