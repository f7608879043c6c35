import { performance } from 'node:perf_hooks'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { problem } from '../contract/problems.ts'
import { GATEWAY_OWNER } from '../wire/wire.ts'
import { ClientGone } from '../calls/client-gone.ts'
import { limitConnections, surviveAcceptErrors } from './accept-limits.ts'
import { admit } from './admission.ts'
import { addHeaders, commonHeaders } from './common-headers.ts'
import { asProblem, bodyOf, sendProblem } from './problems.ts'
import { jsonReader } from './read-json.ts'
import { framingProblem, isRefused } from './refuse-framing.ts'
import { logRequest } from './request-log.ts'
import { registerRoutes } from './route.ts'
import type { HttpServices } from './services.ts'

// What every listener of ours has in common: limits, request ids, headers, errors, one log line a request.

const HEADERS_MS = 10_000
/** For a whole body: a large upload over a slow line needs minutes. */
const BODY_MS = 300_000
const CHECK_MS = 2_000
const KEEP_ALIVE_MS = 72_000
const LAST_WORDS_MS = 500
/** As nginx logs a client that did not wait. */
const CLIENT_GONE = 499

export function createServer(services: HttpServices, log: Logger): FastifyInstance {
  const { context, health } = services
  const app = Fastify({
    logger: false,
    bodyLimit: context.config.bodyLimitMb * 1024 * 1024,
    genReqId: context.newRequestId,
    requestTimeout: BODY_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: HEADERS_MS, connectionsCheckingInterval: CHECK_MS },
    return503OnClosing: false,
    // Its compilers of schemas are a hundred modules, and it is given none.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    forceCloseConnections: 'idle',
    clientErrorHandler,
    frameworkErrors: (error, request, reply) => {
      void sendProblem(addHeaders(reply, commonHeaders(request, health)), asProblem(error, request, log))
    },
    routerOptions: { maxParamLength: 500 },
  })
  if (services.shedsLoad) limitConnections(app.server)
  surviveAcceptErrors(app.server, log)
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('caller')
  app.decorateRequest('call')
  app.decorateRequest('endpoint', 'unknown')
  app.decorateRequest('ending')
  app.decorateRequest('admittedFor')
  app.decorateRequest('memory')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', jsonReader(context))
  app.addContentTypeParser('multipart/form-data', passStream)
  app.addHook('onRequest', (request, reply, done) => done(arrive(request, reply, services, log)))
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.raw.complete) answeredEarly.set(request.raw.socket, request.raw)
    addHeaders(reply, commonHeaders(request, health))
    done(null, payload)
  })
  app.setErrorHandler((error, request, reply) => sendProblem(reply, asProblem(error, request, log)))
  app.setNotFoundHandler((request, reply) => sendProblem(reply, problem('not_found', { message: nothingAt(request) })))
  app.addHook('preClose', (done) => {
    void health.drain().then(() => hangUp(app))
    done()
  })
  registerRoutes(app, services)
  return app
}

function noSchemas(): never {
  throw new Error('schemas are checked by src/schema/validator.ts')
}

/** A closing server times nobody out any more: a client that keeps its connection, or stops half way, would keep us here. */
function hangUp({ server }: FastifyInstance): void {
  server.closeIdleConnections()
  setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS).unref()
}

declare module 'fastify' {
  interface FastifyRequest {
    startedAt: number
    /**
     * Set by who works on an answer: raised when its client is gone. Not a function that would do so: V8 puts a function
     * that is assigned to a property among the old objects, where all that it holds (4 KB) waits for a full collection.
     */
    ending: AbortController | undefined
  }
}

/** Requests that were answered before their bodies were there. */
const answeredEarly = new WeakMap<Socket, IncomingMessage>()

/**
 * The operator's listener is neither counted nor turned away: it is needed most when the other one is full. Where a key is
 * needed, a request takes a place when its owner is known: whoever has no key takes none.
 */
function arrive(request: FastifyRequest, reply: FastifyReply, services: HttpServices, log: Logger): Error | undefined {
  const { health, shedsLoad } = services
  request.startedAt = performance.now()
  if (shedsLoad) health.enter()
  // 'close' comes for every answer, also for one that its client did not wait for.
  reply.raw.on('close', () => {
    if (shedsLoad) health.leave()
    if (request.admittedFor !== undefined) health.dismiss(request.admittedFor)
    request.memory?.close()
    if (reply.raw.writableFinished) return logRequest(request, reply.statusCode, services.context, log)
    request.ending?.abort(new ClientGone())
    setImmediate(logRequest, request, CLIENT_GONE, services.context, log)
  })
  const refused = framingProblem(request.raw)
  if (refused || !needsNoKey(request)) return refused
  return admit(request, reply, GATEWAY_OWNER, services)
}

/** What nobody has to prove anything for shares the places of one owner, which is nobody else's. */
function needsNoKey({ url, routeOptions }: FastifyRequest): boolean {
  const access = routeOptions.config.route?.access ?? 'open'
  return access === 'open' && !url.startsWith('/health/')
}

/** A form is read by who wants it, while it arrives; everybody else takes JSON. */
function passStream(request: FastifyRequest, payload: Readable, done: (error: Error | null, value?: unknown) => void) {
  if (request.routeOptions.config.route?.multipart) return done(null, payload)
  done(problem('unsupported_media_type'))
}

function nothingAt({ method, url }: FastifyRequest): string {
  const path = url.split('?', 1)[0]!.slice(0, 200)
  return `There is nothing at ${method} ${path}. See /docs for what there is.`
}

/** What is not HTTP gets a plain 400 (or 408, 431) and a closed door; a request that was answered gets no second answer. */
function clientErrorHandler(this: FastifyInstance, error: NodeJS.ErrnoException, socket: Socket) {
  if (isRefused(socket)) return
  if (answeredEarly.get(socket)?.complete === false) return socket.destroySoon()
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
  const status = STATUS_OF[error.code ?? ''] ?? '400 Bad Request'
  const message = 'The request is not valid HTTP, too slow, or its headers are too large.'
  const body = JSON.stringify(bodyOf(problem('validation_error', { message, code: 'bad_request' })))
  const id = `x-request-id: req_${randomUUID()}\r\ncache-control: no-store`
  socket.end(
    `HTTP/1.1 ${status}\r\n${id}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

const STATUS_OF: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}
