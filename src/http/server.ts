import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { problem } from '../contract/problems.ts'
import { parseBody } from '../json/parse-body.ts'
import { type Health, OVERLOADED } from './health.ts'
import { asProblem, bodyOf, sendProblem } from './problems.ts'
import { logRequest } from './request-log.ts'
import { type House, registerRoutes } from './route.ts'

// What every listener of ours has in common: limits, request ids, headers, errors, one log line a request.

const HEADERS_MS = 10_000
const BODY_MS = 60_000
const CHECK_MS = 2_000
const KEEP_ALIVE_MS = 72_000

export function createServer(house: House, log: Logger): FastifyInstance {
  const { outside, health } = house
  const app = Fastify({
    logger: false,
    bodyLimit: outside.config.bodyLimitMb * 1024 * 1024,
    genReqId: () => `req_${outside.newId()}`,
    requestTimeout: BODY_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: HEADERS_MS, connectionsCheckingInterval: CHECK_MS },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler,
    routerOptions: { maxParamLength: 500 },
  })
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('caller')
  app.decorateRequest('call')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJson)
  app.addHook('onRequest', (request, reply, done) => done(arrive(request, reply, health)))
  app.addHook('onResponse', (request, reply, done) => {
    health.leave()
    logRequest(request, reply, outside, log)
    done()
  })
  app.setErrorHandler((error, request, reply) => sendProblem(reply, asProblem(error, request, log)))
  app.setNotFoundHandler((request, reply) => sendProblem(reply, problem('not_found', { message: nothingAt(request) })))
  registerRoutes(app, house)
  return app
}

declare module 'fastify' {
  interface FastifyRequest {
    startedAt: number
  }
}

function arrive(request: FastifyRequest, reply: FastifyReply, health: Health): Error | undefined {
  request.startedAt = performance.now()
  const overloaded = health.overloaded && !request.url.startsWith('/health/')
  health.enter()
  reply.headers({
    'x-request-id': request.id,
    'request-id': request.id,
    'cache-control': 'no-store',
    vary: 'Authorization',
    'x-content-type-options': 'nosniff',
  })
  // A client that keeps its connection would ask us again although we are leaving.
  if (health.draining) reply.header('connection', 'close')
  return overloaded ? OVERLOADED : undefined
}

function readJson(
  request: FastifyRequest,
  body: Buffer | string,
  done: (error: Error | null, value?: unknown) => void,
) {
  try {
    const encoding = request.headers['content-encoding']
    if (encoding && encoding !== 'identity')
      throw problem('unsupported_media_type', { message: 'Send the body without content-encoding.' })
    done(null, parseBody(body as Buffer))
  } catch (error) {
    done(error as Error)
  }
}

function nothingAt({ method, url }: FastifyRequest): string {
  const path = url.split('?', 1)[0]!.slice(0, 200)
  return `There is nothing at ${method} ${path}. See /docs for what there is.`
}

/** What is not HTTP gets a plain 400 (or 408, 431) and a closed door. */
function clientErrorHandler(this: FastifyInstance, error: NodeJS.ErrnoException, socket: import('node:net').Socket) {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
  const status = STATUS_OF[error.code ?? ''] ?? '400 Bad Request'
  const message = 'The request is not valid HTTP, too slow, or its headers are too large.'
  const body = JSON.stringify(bodyOf(problem('validation_error', { message, code: 'bad_request' })))
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

const STATUS_OF: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}
