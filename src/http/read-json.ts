import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { problem } from '../contract/problems.ts'
import { ClientGone } from '../calls/client-gone.ts'
import { BYTES_OF_VALUE } from '../calls/memory-budget.ts'
import type { CallServices, Turns } from '../calls/services/call-services.ts'
import { type JsonBody, parseBody, parseText, readText } from '../translation/json/parse-body.ts'
import { memoryLeaseOf, ownerOf } from './memory-lease.ts'
import { readBody } from './read-body.ts'

type Done = (error: Error | null, value?: unknown) => void

/**
 * Longer bodies are parsed one at a time, and other work gets its turn between them. That takes three more turns of the event loop, a fifth
 * of the CPU of a chat with 100 KB, whose body is parsed in a third of a millisecond.
 */
const LARGE_BYTES = 128 * 1024

/** With more values than this, the memory that they take beside the text is reserved as well. */
const FEW_VALUES = 10_000

/** Bodies that arrive in the same turn of the event loop are parsed together. */
type Reading = Turns & Pick<CallServices, 'memory'>

export function jsonReader(services: Reading) {
  return (request: FastifyRequest, payload: Readable, done: Done) => {
    const { body: schema, multipart } = request.routeOptions.config.route ?? {}
    if (!schema) return done(multipart ? NOT_A_FORM : null)
    if (isEncoded(request)) return done(ENCODED)
    readBody(
      request,
      payload,
      () => memoryLeaseOf(request, services),
      (error, body) => {
        if (error) return done(error)
        if (body!.length > LARGE_BYTES)
          return void readLarge(request, body!, services).then((one) => done(null, one), done)
        const batch = services.nextBatch()
        if (batch) void batch.then(() => readJson(body!, done))
        else readJson(body!, done)
      },
    )
  }
}

function readJson(body: Buffer, done: Done): void {
  let parsed: JsonBody
  try {
    parsed = parseBody(body)
  } catch (error) {
    return done(error as Error)
  }
  done(null, parsed)
}

/** Each step has a turn of the event loop to itself: decoding the text, parsing it, and whatever its route does with it. */
export async function readLarge(request: FastifyRequest, body: Buffer, services: Reading): Promise<JsonBody> {
  await slotWhileConnected(request, services)
  const text = readText(body)
  const { values } = text.outline
  if (values > FEW_VALUES) await memoryLeaseOf(request, services).hold(values * BYTES_OF_VALUE)
  await slotWhileConnected(request, services)
  const parsed = parseText(text)
  await services.loopSlot(ownerOf(request))
  return parsed
}

/** If the client has left in the meantime, no more work is done for it. */
async function slotWhileConnected(request: FastifyRequest, { loopSlot }: Reading): Promise<void> {
  await loopSlot(ownerOf(request))
  if (request.raw.socket.destroyed) throw new ClientGone()
}

/** For routes that read JSON while it arrives, because it may contain megabytes that should not be held in memory. */
export function streamJson(request: FastifyRequest, payload: Readable, done: Done): void {
  const { unpacks } = request.routeOptions.config.route ?? {}
  if (isEncoded(request) && !unpacks) done(ENCODED)
  else done(null, payload)
}

function isEncoded({ headers: { 'content-encoding': encoding } }: FastifyRequest): boolean {
  return encoding !== undefined && encoding !== '' && encoding !== 'identity'
}

const NOT_A_FORM = problem('unsupported_media_type', {
  message: 'This endpoint does not take that content type. Send multipart/form-data.',
})
const ENCODED = problem('unsupported_media_type', { message: 'Send the body without content-encoding.' })
