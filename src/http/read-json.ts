import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { problem } from '../contract/problems.ts'
import type { Outside } from '../core/outside.ts'
import { type JsonBody, parseBody } from '../json/parse-body.ts'

type Done = (error: Error | null, value?: unknown) => void

/** Bodies that have come together are read together. */
export function jsonReader({ nextTurn }: Outside) {
  return (request: FastifyRequest, body: Buffer | string, done: Done) => {
    const turn = nextTurn()
    if (turn) void turn.then(() => readJson(request, body, done))
    else readJson(request, body, done)
  }
}

function readJson(request: FastifyRequest, body: Buffer | string, done: Done): void {
  // Many clients name a type on every request, also where there is no body to have one.
  if (body.length === 0 && !request.routeOptions.config.route?.body) return done(null)
  let parsed: JsonBody
  try {
    refuseEncoding(request)
    parsed = parseBody(body as Buffer)
  } catch (error) {
    return done(error as Error)
  }
  done(null, parsed)
}

/** For who reads it as it arrives, because it may hold megabytes that are not to stand in memory. */
export function streamJson(request: FastifyRequest, payload: Readable, done: Done): void {
  try {
    refuseEncoding(request)
  } catch (error) {
    return done(error as Error)
  }
  done(null, payload)
}

function refuseEncoding({ headers: { 'content-encoding': encoding } }: FastifyRequest): void {
  if (!encoding || encoding === 'identity') return
  throw problem('unsupported_media_type', { message: 'Send the body without content-encoding.' })
}
