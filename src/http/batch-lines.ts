import Fastify, { type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { BATCH_ENDPOINTS } from '../contract/batch-endpoints.ts'
import type { Problem } from '../contract/problems.ts'
import { LineEncoder } from '../endpoints/batch-lines/line-encoder.ts'
import { NotSent } from '../endpoints/explain/dry-asking.ts'
import { dryServices } from '../endpoints/explain/dry-services.ts'
import type { LineReply, LineRequest, Lines } from '../jobs/batches/ask-line.ts'
import { refusalOf } from './auth.ts'
import { shapeErrors } from './format-errors.ts'
import type { Health } from './health.ts'
import { batchEndpoint } from './batch-endpoint.ts'
import { routedUrl } from './paths/other-paths.ts'
import { asProblem, sendProblem } from './problems.ts'
import { jsonReader } from './read-json.ts'
import { registerRoutes } from './register-routes.ts'
import type { Route } from './route.ts'
import { API_ROUTES } from './routes/api-routes.ts'
import { decorateRequests, NO_SCHEMAS } from './server.ts'
import type { ActiveServices, Services } from './services.ts'
import { OpenSockets } from './websocket/open-sockets.ts'

// Lines of batches are requests to the real routes, without a socket. Who sends them is known from their batch, so they have no key.
// Nothing listens for other requests to these routes.

type LineParts = { health: Health; log: Logger }

/** A line while its request runs. */
type Running = LineRequest & { request?: FastifyRequest; problem?: Problem }

/** Names the line of a request. The route does not see it. */
const LINE = 'x-gatehouse-line'
const NO_CONTENT = 204
const ENDPOINTS: ReadonlySet<string> = new Set([...BATCH_ENDPOINTS, '/v3/v1beta/models/{model}:generateContent'])

export function openLines(active: ActiveServices, parts: LineParts): Lines {
  const running = new RunningLines()
  const app = openApp(active, parts, running)
  return {
    endpointOf: batchEndpoint,
    encode: openEncoder(active, parts),
    ask: async (line, signal) => {
      signal.throwIfAborted()
      const { name, entry } = running.begin(line)
      const abort = () => entry.request?.callController?.abort(signal.reason)
      signal.addEventListener('abort', abort)
      try {
        const headers = { ...line.headers, 'content-type': 'application/json', [LINE]: name }
        const { statusCode, body } = await app.inject({ method: 'POST', url: line.url, headers, payload: line.body })
        return replyOf(entry, statusCode, body)
      } finally {
        signal.removeEventListener('abort', abort)
        entry.request?.memory?.close()
        running.end(name)
      }
    },
  }
}

/** Lines are encoded one after the other, so that what is found belongs to the line. */
function openEncoder(active: ActiveServices, parts: LineParts): Lines['encode'] {
  const running = new RunningLines()
  const encoder = new LineEncoder({
    needsOf: (...args) => active.current.calls.spendLimits.needsOf(...args),
    limitsOf: (call) => active.current.calls.spendLimits.limitsOf(call),
  })
  const app = openApp(new DryServices(active, encoder), parts, running)
  let latest: Promise<unknown> = Promise.resolve()
  return (line) => {
    const encoding = latest.then(() => encode(line))
    latest = encoding.catch(() => undefined)
    return encoding
  }

  async function encode(line: LineRequest) {
    const { name, entry } = running.begin(line)
    try {
      const headers = { ...line.headers, 'content-type': 'application/json', [LINE]: name }
      await app.inject({ method: 'POST', url: line.url, headers, payload: line.body })
      return encoder.take()
    } finally {
      entry.request?.memory?.close()
      running.end(name)
    }
  }
}

/** The active services, as those of a dry run. */
class DryServices implements ActiveServices {
  readonly #active: ActiveServices
  readonly #encoder: LineEncoder
  #of: Services | undefined
  #dry: Services | undefined

  constructor(active: ActiveServices, encoder: LineEncoder) {
    this.#active = active
    this.#encoder = encoder
  }

  get current(): Services {
    const { current } = this.#active
    if (this.#dry && this.#of === current) return this.#dry
    const calls = dryServices(current.calls, this.#encoder)
    this.#of = current
    this.#dry = { ...current, calls, jobs: { ...current.jobs, calls } }
    return this.#dry
  }
}

function replyOf({ request, problem }: Running, status: number, body: string): LineReply {
  return { status, requestId: request?.call?.id ?? request?.id ?? '', body, problem }
}

class RunningLines {
  readonly #byName = new Map<string, Running>()
  /** The values have their keys, so a weak map would keep them until the next full collection. */
  readonly #byRequest = new Map<FastifyRequest, Running>()
  #latest = 0

  begin(line: LineRequest): { name: string; entry: Running } {
    const name = String(++this.#latest)
    const entry = { ...line }
    this.#byName.set(name, entry)
    return { name, entry }
  }

  idOf(name: string): string | undefined {
    return this.#byName.get(name)?.id
  }

  end(name: string): void {
    const request = this.#byName.get(name)?.request
    if (request) this.#byRequest.delete(request)
    this.#byName.delete(name)
  }

  /** The line of a request that has just begun. */
  open(request: FastifyRequest): void {
    const entry = this.#byName.get(String(request.headers[LINE]))
    delete request.headers[LINE]
    if (!entry) throw new Error('A request without a line')
    entry.request = request
    this.#byRequest.set(request, entry)
    request.caller = entry.caller
    request.batch = entry.batch
  }

  failed(request: FastifyRequest, problem: Problem): void {
    const entry = this.#byRequest.get(request)
    if (entry) entry.problem = problem
  }
}

function openApp(active: ActiveServices, { health, log }: LineParts, running: RunningLines) {
  const { calls } = active.current
  const app = Fastify({
    logger: false,
    schemaController: NO_SCHEMAS,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    genReqId: ({ headers }) => running.idOf(String(headers[LINE])) ?? active.current.edge.newRequestId(),
    rewriteUrl: ({ url = '/' }) => routedUrl(url),
  })
  decorateRequests(app, active)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', jsonReader(calls))
  app.addHook('onRequest', (request, _reply, done) => {
    running.open(request)
    done()
  })
  app.addHook('preSerialization', shapeErrors)
  app.setErrorHandler((error, request, reply) => {
    // A dry run has found what it was for.
    if (error instanceof NotSent) return reply.code(NO_CONTENT).send()
    const problem = asProblem(error, request, log)
    running.failed(request, problem)
    return sendProblem(reply, problem)
  })
  registerRoutes(app, {
    ...active.current,
    active,
    health,
    log,
    sockets: new OpenSockets(health),
    shedsLoad: false,
    listener: 'api',
    routes: API_ROUTES.filter(({ method, path }) => method === 'POST' && ENDPOINTS.has(path)),
    guard: (route) => guardOfLine(route, active),
  })
  return app
}

/** What a key has to be allowed for a request, the key of a batch has to be allowed for its lines. */
function guardOfLine(route: Route, active: ActiveServices) {
  return (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void) => {
    done(refusalOf(request.caller, route, active.current.calls))
  }
}
