import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AgentTelemetryAnswer, Encoding } from '../../../calls/agent-telemetry.ts'
import { ClientGone } from '../../../calls/client-gone.ts'
import { OtlpAnswer, OtlpBatch } from '../../../contract/agents.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { Problem, problem } from '../../../contract/problems.ts'
import type { Signal } from '../../../platform/telemetry/otlp/exporter.ts'
import type { Stamp } from '../../../platform/telemetry/otlp/stamp.ts'
import { MB } from '../../../base/units/units.ts'
import type { Caller } from '../../../tenants/access/caller.ts'
import { parseBody } from '../../../translation/json/parse-body.ts'
import { route } from '../../define-route.ts'
import { memoryLeaseOf } from '../../memory-lease.ts'
import { readBody } from '../../read-body.ts'
import { readLarge } from '../../read-json.ts'
import type { HttpServices } from '../../route.ts'
import { agentsAreOn } from './agent-route.ts'

// OpenTelemetry of coding agents. Whose it is, is written into it here, and it goes on to the operator's collector.

const JSON_TYPE = 'application/json'
const PROTOBUF_TYPE = 'application/x-protobuf'
/** Agents send some tens of KB. */
const MAX_BYTES = 4 * MB
/** Reading a longer batch gets a turn of the event loop of its own. */
const LARGE_BYTES = 64 * 1_024
const RETRY_AFTER_SECONDS = 30

export const metrics = intake('metrics')
export const logs = intake('logs')
export const traces = intake('traces')

function intake(signal: Signal) {
  return route({
    method: 'POST',
    path: `/v3/claude/v1/${signal}`,
    access: 'key',
    isOn: agentsAreOn,
    streamsJson: true,
    takesAnyType: true,
    unpacks: true,
    summary: `OpenTelemetry ${signal} of a coding agent`,
    description:
      'OTLP over HTTP, in JSON or in protobuf (`application/x-protobuf`), plain or packed with gzip, of a session that a person has signed in. The attributes ' +
      '`gatehouse.user.id`, `gatehouse.key.id`, `gatehouse.project` and `gatehouse.organization` of the resource are set to those of the ' +
      'session, and the batch is passed on to the collector of the gateway. Without a collector it is counted and dropped.',
    body: OtlpBatch,
    replies: {
      200: { description: 'The batch is taken.', schema: OtlpAnswer, texts: [PROTOBUF_TYPE] },
      400: { description: 'The batch cannot be read.', schema: ErrorBody },
      403: { description: 'The key is not that of a session.', schema: ErrorBody },
      413: { description: 'The batch is too large.', schema: ErrorBody },
      415: { description: 'The encoding is none of OTLP, or not that of the collector.', schema: ErrorBody },
      503: { description: 'The collector is not reachable. Send the batch again later.', schema: ErrorBody },
    },
    handle: (request, reply, services) => take(signal, request, reply, services),
  })
}

async function take(signal: Signal, request: FastifyRequest, reply: FastifyReply, services: HttpServices) {
  const { caller } = request
  if (caller.kind !== 'session') throw problem('not_allowed', { message: ONLY_SESSIONS })
  const encoding = encodingOf(request)
  const { agentTelemetry } = services.edge
  const outcome = agentTelemetry
    ? await agentTelemetry.send(signal, await batchOf(signal, encoding, request, services), endOf(request))
    : 'unwanted'
  services.calls.metrics.agentTelemetry.add([signal, outcome])
  demandTaken(outcome)
  const lost = outcome === 'refused' || outcome === 'rejected' ? NOT_ALL : undefined
  if (encoding === 'json')
    return reply.type(JSON_TYPE).send(JSON.stringify(lost ? { partialSuccess: { errorMessage: lost } } : {}))
  return reply.type(PROTOBUF_TYPE).send(lost ? await partialSuccess(lost) : '')
}

// What writes OpenTelemetry is loaded when there is a collector.

async function partialSuccess(message: string): Promise<string> {
  const { field } = await import('../../../platform/telemetry/otlp/protobuf.ts')
  return field(PARTIAL_SUCCESS, field(ERROR_MESSAGE, message))
}

const NOT_ALL = 'The collector has not taken all of this batch.'
const [PARTIAL_SUCCESS, ERROR_MESSAGE] = [1, 2]

const ONLY_SESSIONS =
  'Telemetry is taken from agents that a person has signed in. Send that of other programs to your collector.'

function encodingOf({ headers }: FastifyRequest): Encoding {
  const { 'content-type': type = '' } = headers
  const plain = type.split(';', 1)[0]!.trim().toLowerCase()
  if (plain === JSON_TYPE) return 'json'
  if (plain === PROTOBUF_TYPE) return 'protobuf'
  throw problem('unsupported_media_type', { message: `Send ${PROTOBUF_TYPE} or ${JSON_TYPE}.` })
}

async function batchOf(signal: Signal, encoding: Encoding, request: FastifyRequest, { calls }: HttpServices) {
  const bytes = await wholeBody(request, calls)
  return { bytes: await stamped(signal, encoding, bytes, { request, calls }), encoding, owner: request.caller.owner }
}

/** Memory is reserved for what is unpacked, as it grows: a few KB may become megabytes. */
function wholeBody(request: FastifyRequest, calls: HttpServices['calls']): Promise<Buffer> {
  const { body } = request
  if (!(body instanceof Readable)) return Promise.resolve(Buffer.alloc(0))
  const plain = isPacked(request) ? unpacking(body) : body
  const bodyLimit = Math.min(MAX_BYTES, request.routeOptions.bodyLimit)
  return new Promise((resolve, reject) => {
    readBody(
      { headers: request.headers, routeOptions: { bodyLimit } },
      plain,
      () => memoryLeaseOf(request, calls),
      (error, bytes) => {
        if (!error) return resolve(bytes!)
        reject(isBroken(plain) ? notGzip() : error)
        if (plain !== body) plain.destroy()
      },
    )
  })
}

/** Exporters of OpenTelemetry pack what they send if they are told to. */
function isPacked({ headers }: FastifyRequest): boolean {
  const { 'content-encoding': packed = 'identity' } = headers
  if (packed !== 'identity' && packed !== 'gzip')
    throw problem('unsupported_media_type', { message: 'The only content-encoding that is taken is gzip.' })
  return packed === 'gzip'
}

function unpacking(body: Readable): Readable {
  const plain = createGunzip()
  body.once('error', (error) => plain.destroy(error))
  return body.pipe(plain)
}

function notGzip(): Problem {
  return problem('bad_request', { message: 'The body is not valid gzip.' })
}

/** Whether what was sent cannot be unpacked. Otherwise the client has left. */
function isBroken({ errored }: Readable): boolean {
  return errored !== null && 'code' in errored && String(errored.code).startsWith('Z_')
}

type Reading = { request: FastifyRequest; calls: HttpServices['calls'] }

async function stamped(signal: Signal, encoding: Encoding, bytes: Buffer, reading: Reading): Promise<Buffer> {
  const { request, calls } = reading
  const { stampJson, stampProtobuf } = await import('../../../platform/telemetry/otlp/stamp.ts')
  const stamp = stampOf(request.caller)
  const isLarge = bytes.length > LARGE_BYTES
  try {
    if (encoding === 'json') {
      const { value } = isLarge ? await readLarge(request, bytes, calls) : parseBody(bytes)
      return Buffer.from(stampJson(signal, value, stamp))
    }
    if (isLarge) await calls.loopSlot(request.caller.owner)
    return stampProtobuf(bytes, stamp)
  } catch (error) {
    if (error instanceof Problem || error instanceof ClientGone) throw error
    throw problem('bad_request', { message: 'The body is no batch of OpenTelemetry.' })
  }
}

function stampOf({ user, keyId, project, organization }: Caller): Stamp {
  return {
    ...(user !== null && { 'gatehouse.user.id': user }),
    'gatehouse.key.id': keyId,
    'gatehouse.project': project,
    'gatehouse.organization': organization,
  }
}

/** Raised when the agent has left. */
function endOf(request: FastifyRequest): AbortSignal {
  const controller = new AbortController()
  if (request.raw.socket.destroyed) controller.abort(new ClientGone())
  else request.callController = controller
  return controller.signal
}

/** What the collector refuses is refused for good: the agent is told, and does not send it again. */
function demandTaken(outcome: AgentTelemetryAnswer): void {
  if (outcome === 'unreadable')
    throw problem('unsupported_media_type', { message: `The collector takes ${PROTOBUF_TYPE}.` })
  const isLater = outcome === 'full' || outcome === 'failed'
  if (isLater)
    throw problem('unavailable', {
      message: 'The collector takes nothing now.',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
}
