import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Caller } from '../tenants/access/caller.ts'
import type { UniversalAsyncRequest } from '../contract/universal.ts'
import { dryServices } from '../endpoints/explain/dry-services.ts'
import { Explainer } from '../endpoints/explain/explainer.ts'
import { explanationOf } from '../endpoints/explain/explanation.ts'
import { type JsonBody, memberText } from '../translation/json/parse-body.ts'
import { tryParse } from '../translation/json/try-parse.ts'
import type { ForecastSource } from '../money/limits/forecast.ts'
import { notAmong } from '../base/schema/issue-messages.ts'
import { type Fields, isRecord, recordOf } from '../base/schema/record.ts'
import { doTask } from '../endpoints/universal/do-task.ts'
import { prepareTask } from '../endpoints/universal/prepare-task.ts'
import type { Health } from './health.ts'
import { openReply, wholeReply } from './open-reply.ts'
import { documentedUrl, routedUrl } from './paths/other-paths.ts'
import { validationProblem } from './problems.ts'
import { jsonReader } from './read-json.ts'
import { OpenSockets } from './websocket/open-sockets.ts'
import { registerRoutes } from './register-routes.ts'
import { decorateRequests, NO_SCHEMAS } from './server.ts'
import type { Route } from './route.ts'
import type { Services } from './services.ts'

// A dry run is a real request to a real route, without a socket. Only its services differ: they reach no provider.

/** A request to explain, with the text of its body, and who would send it. */
type DryRequest = { endpoint: string; text: string; caller: Caller }

/** What the body of an explanation asks for. The text of the explained body stays as it was written. */
export function askedIn(body: JsonBody): Pick<DryRequest, 'endpoint' | 'text'> {
  const { endpoint, body: inner } = recordOf(body.value)
  if (typeof endpoint !== 'string' || inner === undefined) return { endpoint: CHAT, text: body.text }
  const written = body.repeated ? undefined : memberText(body, 'body')
  return { endpoint, text: written ?? JSON.stringify(inner) }
}

type DryParts = { services: Services; limits: ForecastSource; routes: readonly Route[]; health: Health }

const CHAT = '/v3/chat/completions'
const JOBS = '/v3/universal-ai/async'

/** The endpoints that ask a provider. Counting tokens costs nothing, and is left out. */
const EXPLAINED: ReadonlySet<string> = new Set([
  CHAT,
  '/v3/completions',
  '/v3/v1/messages',
  '/v3/responses',
  '/v3/responses/compact',
  '/v3/v1beta/models/{model}:generateContent',
  '/v3/v1beta/models/{model}:streamGenerateContent',
  '/v3/v1beta/models/{model}:embedContent',
  '/v3/v1beta/models/{model}:batchEmbedContents',
  '/v3/v2/chat',
  '/v3/v2/embed',
  '/v3/v2/rerank',
  '/v3/embeddings',
  '/v3/rerank',
  '/v3/moderations',
  '/v3/audio/speech',
  '/v3/audio/transcriptions',
  '/v3/audio/translations',
  '/v3/images/generations',
  '/v3/images/edits',
  '/v3/universal-ai',
  JOBS,
])

/** Which targets would be asked, in which order, with what requests, at what cost. Nothing is sent, reserved or recorded. */
export async function explain(dryRequest: DryRequest, { services, limits, routes, health }: DryParts) {
  const explainer = new Explainer(limits, services.calls.timeouts)
  const calls = dryServices(services.calls, explainer)
  const dry = { ...services, calls, jobs: { ...services.jobs, calls } }
  const app = Fastify({
    logger: false,
    schemaController: NO_SCHEMAS,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    rewriteUrl: ({ url = '/' }) => routedUrl(url),
  })
  const body = tryParse(dryRequest.text)
  let failure: Error | undefined
  try {
    open(app, { services: dry, routes, health }, dryRequest.caller)
    app.setErrorHandler((error: Error, _request, reply) => {
      failure = error
      return reply.code(500).send()
    })
    app.setNotFoundHandler(() => {
      throw validationProblem([notAmong(['body', 'endpoint'], [...EXPLAINED])])
    })
    const payload = isInBackground(body) ? JSON.stringify({ ...body, background: false }) : dryRequest.text
    const headers = { 'content-type': 'application/json' }
    await app.inject({ method: 'POST', url: dryRequest.endpoint, headers, payload })
  } finally {
    await app.close()
  }
  if (explainer.targets.length === 0 && failure) throw failure
  return explanationOf(
    { caller: dryRequest.caller, body, endpoint: documentedUrl(dryRequest.endpoint), explainer },
    calls,
  )
}

function open(app: FastifyInstance, { services, routes, health }: Omit<DryParts, 'limits'>, caller: Caller): void {
  const active = { current: services }
  const explained = routes.flatMap((route) => (isExplained(route) ? asCaller(route, caller) : []))
  decorateRequests(app, active)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', jsonReader(services.calls))
  const sockets = new OpenSockets(health)
  registerRoutes(app, { ...services, active, health, sockets, routes: explained, shedsLoad: false, listener: 'admin' })
}

function isExplained({ method, path }: Route): boolean {
  return method === 'POST' && EXPLAINED.has(path)
}

/** The route for this caller, who needs no key here. */
function asCaller(route: Route, caller: Caller): Route {
  const { permission: _, manages: __, ...rest } = route
  const handle = route.path === JOBS ? doNow : route.handle
  return {
    ...rest,
    access: 'open',
    handle: (request, reply, services) => {
      request.caller = caller
      return handle(request, reply, services)
    },
  }
}

/** What the worker does with a job that was submitted. */
const doNow: Route['handle'] = (request, reply, services) => {
  const open = openReply(request, reply, services, 'universal')
  const { calls } = services
  const body = bodyOf<UniversalAsyncRequest>(request)
  return wholeReply(open, async () => await doTask(await prepareTask(body, open.call, calls), open.call, calls))
}

function bodyOf<Body>(request: FastifyRequest): Body {
  return (request.body as JsonBody).value as Body
}

/** A response in the background asks what one in the foreground asks. */
function isInBackground(body: unknown): body is Fields {
  return isRecord(body) && body.background === true
}
