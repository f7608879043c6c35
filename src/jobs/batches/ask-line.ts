import type { CallBatch } from '../../calls/call.ts'
import type { Problem } from '../../contract/problems.ts'
import type { EncodedLine } from '../../endpoints/batch-lines/line-encoder.ts'
import type { Caller } from '../../tenants/access/caller.ts'

/** A line as the request that it stands for. */
export type LineRequest = {
  /** As the line names it, such as `/v1/chat/completions`. */
  url: string
  /** The text of the body. */
  body: string
  caller: Caller
  /** Headers that the request for the batch had, and that its lines have, too. */
  headers: Readonly<Record<string, string>>
  batch: CallBatch
  /** The id of the call, if it is known before: a call that is made again has the same line in the ledger. */
  id?: string | undefined
}

export type LineReply = {
  status: number
  /** The id of the call. */
  requestId: string
  /** The text of the body, as its caller would have got it. */
  body: string
  /** Why the gateway has no answer; absent if it has one. */
  problem?: Problem | undefined
}

/** Answers lines as if they came over HTTP: the same routes, checks, hooks, limits and ledger. */
export type Lines = {
  /** When the signal is raised, the call is given up. */
  ask(line: LineRequest, signal: AbortSignal): Promise<LineReply>
  /** What the provider of its model would get for it in a batch of its own; undefined if only the gateway can ask it. Nothing is sent. */
  encode(line: LineRequest): Promise<EncodedLine | undefined>
  /** The endpoint that an address of a client means, if a line may be for it. */
  endpointOf(url: string): string | undefined
}
