import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { problem } from '../contract/problems.ts'
import { ClientGone } from '../core/call.ts'
import { BYTES_OF_VALUE } from '../core/memory-budget.ts'
import type { Outside } from '../core/outside.ts'
import { type JsonBody, parseBody } from '../json/parse-body.ts'
import { leaseOf, readerOf } from './memory-lease.ts'
import { readBody } from './read-body.ts'

type Done = (error: Error | null, value?: unknown) => void

/** Longer bodies are parsed one at a time, and whatever else is there gets its turn between them. */
const LARGE_BYTES = 64 * 1024

/** What more of them take beside the text is counted as well. */
const FEW_VALUES = 10_000

/** Bodies that have come together are read together. */
export function jsonReader(outside: Outside) {
  return (request: FastifyRequest, payload: Readable, done: Done) => {
    // Nobody is there who would take it, and whoever sends it may be a stranger.
    if (!request.routeOptions.config.route) return done(null)
    if (isEncoded(request)) return done(ENCODED)
    readBody(
      request,
      payload,
      () => leaseOf(request, outside),
      (error, body) => {
        if (error) return done(error)
        const turn = body!.length > LARGE_BYTES ? outside.ownTurn() : outside.nextTurn()
        if (turn) void turn.then(() => readJson(request, body!, outside, done))
        else readJson(request, body!, outside, done)
      },
    )
  }
}

function readJson(request: FastifyRequest, body: Buffer, outside: Outside, done: Done): void {
  // Many clients name a type on every request, also where there is no body to have one.
  if (body.length === 0 && !request.routeOptions.config.route?.body) return done(null)
  if (request.raw.socket.destroyed) return done(new ClientGone())
  let parsed: JsonBody
  try {
    parsed = parseBody(body)
  } catch (error) {
    return done(error as Error)
  }
  const { values } = parsed.outline
  if (values <= FEW_VALUES) return done(null, parsed)
  const { memory, signal } = readerOf(request, outside)
  memory.hold(values * BYTES_OF_VALUE, signal).then(() => done(null, parsed), done)
}

/** For who reads it as it arrives, because it may hold megabytes that are not to stand in memory. */
export function streamJson(request: FastifyRequest, payload: Readable, done: Done): void {
  if (isEncoded(request)) done(ENCODED)
  else done(null, payload)
}

function isEncoded({ headers: { 'content-encoding': encoding } }: FastifyRequest): boolean {
  return encoding !== undefined && encoding !== '' && encoding !== 'identity'
}

const ENCODED = problem('unsupported_media_type', { message: 'Send the body without content-encoding.' })
