import { performance } from 'node:perf_hooks'
import type { RequestListener, Server } from 'node:http'
import type { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type FastifyHttpOptions } from 'fastify'
import type { Logger } from 'pino'
import { problem } from '../contract/problems.ts'
import { GATEWAY_OWNER } from '../translation/wire/wire.ts'
import type { CallBatch } from '../calls/call.ts'
import { CLIENT_GONE, ClientGone } from '../calls/client-gone.ts'
import { limitConnections, surviveAcceptErrors } from './accept-limits.ts'
import { admit } from './admission.ts'
import { addHeaders, commonHeaders } from './common-headers.ts'
import type { Health } from './health.ts'
import { invalidRequestHandler, noteAnswer, refuseExpectations } from './edge/invalid-requests.ts'
import { answerPreflight, isPreflight, noteOrigin } from './entry/cors.ts'
import { upgradeProblem } from './entry/refuse-upgrade.ts'
import { requestIds } from './entry/request-id.ts'
import { refuseTunnels, unknownPathRefusal } from './paths/unknown-paths.ts'
import { asProblem, sendProblem } from './problems.ts'
import { jsonReader } from './read-json.ts'
import { framingProblem } from './refuse-framing.ts'
import { logRequest } from './log/log-request.ts'
import { registerRoutes } from './register-routes.ts'
import type { HttpServices } from './route.ts'
import type { ActiveServices, Services } from './services.ts'
import { OpenSockets } from './websocket/open-sockets.ts'
import { isAnswered, routeUpgrades } from './websocket/upgrade-requests.ts'
import { MB } from '../base/units/units.ts'

// What all listeners have in common: limits, request ids, headers, errors, one log line per request.

const HEADERS_MS = 10_000
/** For a whole body: a large upload over a slow line needs minutes. */
const BODY_MS = 300_000
const CHECK_MS = 2_000
const KEEP_ALIVE_MS = 72_000
/** How long responses that are already written may take to reach their clients at shutdown. */
const FLUSH_MS = 500
const HEALTH = '/health/'

/** With `tls`, the server speaks HTTPS only. */
export type ServerParts = { log: Logger; tls?: SecureServers | undefined }
type SecureServers = { createServer(options: object, listener: RequestListener): Server }

export function createServer(
  parts: Omit<HttpServices, keyof Services | 'active' | 'log' | 'sockets'>,
  active: ActiveServices,
  { log, tls }: ServerParts,
): FastifyInstance {
  const services: HttpServices = { ...parts, ...active.current, active, log, sockets: new OpenSockets(parts.health) }
  const app = Fastify({
    ...serverOptions(services, log),
    // `request.ip` is the client's address as a proxy wrote it. `clientAddress` is the same one, checked and in its usual form.
    trustProxy: (address) => active.current.edge.proxies.isTrusted(address),
    ...(tls && { serverFactory: secureServer(tls) }),
  })
  if (services.shedsLoad) limitConnections(app.server)
  surviveAcceptErrors(app.server, log)
  decorateRequests(app, active)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', jsonReader(services.calls))
  app.addContentTypeParser('multipart/form-data', passStream)
  app.addContentTypeParser('application/x-www-form-urlencoded', URL_FORM, passText)
  app.addContentTypeParser('*', refuseMediaType)
  addLifecycleHandlers(app, services, log)
  app.setErrorHandler((error, request, reply) => sendProblem(reply, asProblem(error, request, log)))
  registerRoutes(app, services)
  refuseTunnels(app.server, services, log)
  routeUpgrades(app, services)
  refuseExpectations(app.server, log)
  return app
}

function serverOptions({ calls, edge, health, rewriteUrl }: HttpServices, log: Logger) {
  return {
    ...(rewriteUrl && { rewriteUrl: ({ url = '/', headers }) => rewriteUrl(url, headers) }),
    logger: false,
    bodyLimit: calls.config.bodyLimitMb * MB,
    genReqId: requestIds(edge.newRequestId),
    requestTimeout: BODY_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: HTTP_OPTIONS,
    return503OnClosing: false,
    schemaController: NO_SCHEMAS,
    forceCloseConnections: 'idle',
    clientErrorHandler: invalidRequestHandler(edge, log),
    frameworkErrors: (error, request, reply) => {
      void sendProblem(addHeaders(reply, commonHeaders(request, health)), asProblem(error, request, log))
    },
    routerOptions: { maxParamLength: 500 },
  } satisfies FastifyHttpOptions<Server>
}

/** A request without a Host is refused by refuse-framing.ts: Node would answer it without a body. */
const HTTP_OPTIONS = { headersTimeout: HEADERS_MS, connectionsCheckingInterval: CHECK_MS, requireHostHeader: false }

/** Fastify sets the time limits of its own servers only. */
function secureServer(tls: SecureServers) {
  const limits = { requestTimeout: BODY_MS, keepAliveTimeout: KEEP_ALIVE_MS, handshakeTimeout: HEADERS_MS }
  return (listener: RequestListener): Server => tls.createServer({ ...HTTP_OPTIONS, ...limits }, listener)
}

/** V8 handles requests faster if they all have the same properties from the start. */
export function decorateRequests(app: FastifyInstance, active: ActiveServices): void {
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('caller')
  app.decorateRequest('actor')
  app.decorateRequest('call')
  app.decorateRequest('batch')
  app.decorateRequest('endpoint', 'unknown')
  app.decorateRequest('callController')
  app.decorateRequest('admittedFor')
  app.decorateRequest('memory')
  app.decorateRequest('trace')
  app.decorateRequest('errorCode')
  app.decorateRequest('clientAddress', {
    getter(this: FastifyRequest) {
      return active.current.edge.proxies.clientOf(this.ips ?? [])
    },
  })
  app.decorateRequest('allowedOrigin')
}

function addLifecycleHandlers(app: FastifyInstance, services: HttpServices, log: Logger): void {
  const { active, health, shedsLoad } = services
  const allowedOrigins = () => (shedsLoad ? active.current.calls.config.corsOrigins : [])
  const refuseUnknownPath = unknownPathRefusal(services)
  app.addHook('onRequest', (request, reply, done) => {
    const refused = admitRequest(request, reply, services, log) ?? upgradeProblem(request)
    noteOrigin(request, allowedOrigins())
    if (isPreflight(request)) answerPreflight(request, reply)
    else if (refused || !request.is404) done(refused)
    else refuseUnknownPath(request, reply, done)
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    noteAnswer(request.raw)
    addHeaders(reply, commonHeaders(request, health))
    done(null, payload)
  })
  app.addHook('preClose', (done) => {
    hangUp(app)
    done()
  })
}

/** Fastify's own schema compilers are a hundred modules, and no route gives it a schema. */
export const NO_SCHEMAS = { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } }

function noSchemas(): never {
  throw new Error('Schemas are checked by src/base/schema/validator.ts, not by Fastify.')
}

/** A closing server no longer enforces timeouts, so a client that keeps its connection open would keep the process alive. */
function hangUp({ server }: FastifyInstance): void {
  server.closeIdleConnections()
  setTimeout(() => server.closeAllConnections(), FLUSH_MS).unref()
}

declare module 'fastify' {
  interface FastifyRequest {
    startedAt: number
    /** The batch that the request is a line of. */
    batch: CallBatch | undefined
    /** The address of the client, which may be behind proxies of the operator. It is found when it is read. */
    readonly clientAddress: string
    /**
     * Set by the handler that works on an answer, and aborted when the client disconnects. It is not a callback, because V8
     * allocates a function that is assigned to a property as an old object, and the 4 KB that it refers to would stay until
     * a full collection.
     */
    callController: AbortController | undefined
  }
}

/**
 * Requests to the admin listener are neither counted nor refused, because it is needed most when the API is overloaded. A
 * request that needs a key is admitted when its owner is known, so requests without a valid key take no place.
 */
function admitRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
  log: Logger,
): Error | undefined {
  const { health, shedsLoad } = services
  request.startedAt = performance.now()
  if (shedsLoad) health.requestBegan()
  // 'close' is emitted for every answer, also if the client did not wait for it.
  reply.raw.on('close', () => {
    if (shedsLoad) health.requestEnded()
    if (request.admittedFor !== undefined) health.dismiss(request.admittedFor)
    request.memory?.close()
    if (isAnswered(reply.raw)) return logRequest(request, reply.statusCode, services.calls, log)
    request.callController?.abort(new ClientGone())
    setImmediate(logRequest, request, CLIENT_GONE, services.calls, log)
  })
  const refused = framingProblem(request.raw) ?? services.refuses?.(request.raw) ?? refusedAtStart(request, health)
  if (refused || !needsNoKey(request)) return refused
  return admit(request, reply, GATEWAY_OWNER, services)
}

/** A probe that got no answer while a migration runs would end the process, and the next one would begin the migration again. */
function refusedAtStart({ url }: FastifyRequest, health: Health): Error | undefined {
  return url.startsWith(HEALTH) ? undefined : health.notOpenYet
}

/** Requests without a key share the places of an owner of their own, so they take none from owners with keys. */
function needsNoKey({ url, routeOptions }: FastifyRequest): boolean {
  const access = routeOptions.config.route?.access ?? 'open'
  return access === 'open' && !url.startsWith(HEALTH)
}

/** A route that accepts a form reads it while it arrives. */
function passStream(request: FastifyRequest, payload: Readable, done: (error: Error | null, value?: unknown) => void) {
  if (request.routeOptions.config.route?.multipart) return done(null, payload)
  refuseMediaType(request, payload, done)
}

const URL_FORM = { parseAs: 'string', bodyLimit: 32 * 1024 } as const

function passText(request: FastifyRequest, text: string, done: (error: Error | null, value?: unknown) => void) {
  if (request.routeOptions.config.route?.isUrlForm) return done(null, text)
  refuseMediaType(request, undefined, done)
}

/** Bodies of any other type. A route that needs no body does not look at it. */
function refuseMediaType({ routeOptions }: FastifyRequest, _payload: unknown, done: (error: Error | null) => void) {
  const { body, multipart, isUrlForm } = routeOptions.config.route ?? {}
  const accepted = [
    body && 'application/json',
    multipart && 'multipart/form-data',
    isUrlForm && 'application/x-www-form-urlencoded',
  ].filter(Boolean)
  if (accepted.length === 0) return done(null)
  const message = `This endpoint does not take that content type. Send ${accepted.join(' or ')}.`
  done(problem('unsupported_media_type', { message }))
}
