import { meantBy } from '../base/schema/meant-name.ts'
import type { HttpServices, Route } from './route.ts'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { TSchema } from '../base/schema/type.ts'
import { validator } from '../base/schema/validator.ts'
import { nestedSpellingIssues, spellingIssues } from '../calls/upstream/governed-names.ts'
import { type JsonBody, withMember } from '../translation/json/parse-body.ts'
import { deploymentIn } from './paths/other-paths.ts'
import { isRecord, recordOf } from '../base/schema/record.ts'
import { strayFinder } from '../contract/stray-fields.ts'
import { validationProblem } from './problems.ts'
import { noteRefusals } from './admin/refusal-log.ts'
import { guardOf } from './guard.ts'
import { refuseIfOff, refuseShadowedMethods, routerPath } from './paths/unknown-paths.ts'
import { checkPathIds, idsIn } from './paths/path-ids.ts'
import { localNames } from './entry/local-names.ts'
import { readBodyTags } from './entry/body-tags.ts'
import { readOtherWords, takesRouting } from './entry/other-words.ts'
import { queryReader } from './query.ts'
import { streamJson } from './read-json.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The model that the path of an Azure client names. */
    deployment?: string
  }
}

export function registerRoutes(app: FastifyInstance, services: HttpServices): void {
  const current = currentServices(services)
  // The admin listener does so for all of its routes.
  const refusals = { onSend: noteRefusals(services.active, services.log) }
  for (const route of services.routes) {
    const noted = route.access === 'manage' ? refusals : undefined
    const options = { method: route.method, url: routerPath(route), ...wiring(route, services, current), ...noted }
    if (route.streamsJson) registerStreaming(app, options, route)
    else app.route(options)
  }
  refuseShadowedMethods(app, services)
}

/** Registers the route in a Fastify scope of its own, because a body parser applies to all routes of a scope. */
function registerStreaming(app: FastifyInstance, options: RouteOptions, { takesAnyType }: Route): void {
  void app.register(async (scope) => {
    if (takesAnyType) {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', streamJson)
    } else scope.removeContentTypeParser('application/json')
    scope.addContentTypeParser('application/json', streamJson)
    scope.route(options)
  })
}

/** The services for a request that begins now. They are the same object until the configuration changes. */
function currentServices(services: HttpServices): () => HttpServices {
  const { active } = services
  let begun = active.current
  let latest = services
  return () => {
    if (begun !== active.current) {
      begun = active.current
      latest = { ...services, ...begun }
    }
    return latest
  }
}

function wiring(route: Route, services: HttpServices, current: () => HttpServices) {
  const check = requestChecker(route)
  const answer = answerer(route)
  const isChat = takesRouting(route)
  return {
    config: { route },
    onRequest: [
      named(`${route.method} ${route.path}`),
      refuseIfOff(route, services),
      services.guard?.(route) ?? guardOf(route, services),
    ].flat(),
    handler: (request: FastifyRequest, reply: FastifyReply) => {
      nameDeployment(request)
      const latest = current()
      if (route.access === 'key') readBodyTags(request)
      if (isChat) readOtherWords(request, latest.calls)
      check(request)
      const asking = route.access === 'key' ? localNames(request, latest.calls) : undefined
      return asking ? asking.then(() => answer(request, reply, latest)) : answer(request, reply, latest)
    },
  }
}

/** The model that the path names becomes that of the body. Forms are read later, and see to it themselves. */
function nameDeployment(request: FastifyRequest): void {
  if (request.originalUrl === request.url) return
  const model = deploymentIn(request.originalUrl)
  if (model === undefined) return
  request.deployment = model
  const body = request.body as JsonBody | undefined
  if (isRecord(body?.value)) request.body = withMember(body, 'model', model)
}

/** Checks what a request says against the schemas of its route, whose types its handler relies on (`define-route.ts`). */
function requestChecker(route: Route): (request: FastifyRequest) => void {
  const ids = idsIn(route)
  const validate = route.body && !route.streamsJson && bodyValidator(route.body, route)
  const readQuery = route.query && !route.rawQuery && queryReader(route.query)
  const greedy = route.greedy ? /\{(\w+)\}$/.exec(route.path)?.[1] : undefined
  return (request) => {
    if (ids.length > 0) checkPathIds(request, ids, route.noSuch)
    if (greedy !== undefined) request.params = { [greedy]: (request.params as { '*': string })['*'] }
    if (validate && !(request.body instanceof Readable)) validate(request)
    if (readQuery) request.query = readQuery(request.query)
  }
}

/** Answers with the status that the route describes for its success. */
function answerer(route: Route): Route['handle'] {
  const handle: Route['handle'] = (request, reply, services) => route.handle(request, reply, services)
  const status = [200, 201, 202, 204].find((one) => route.replies[one])
  if (status === undefined) return handle
  const { schema, contentType, events } = route.replies[status]!
  if (!schema && !contentType && !events) return emptily(handle, status)
  if (status === 200) return handle
  return (request, reply, services) => handle(request, reply.code(status), services)
}

function emptily(handle: Route['handle'], status: number): Route['handle'] {
  return async (request, reply, services) => {
    await handle(request, reply, services)
    return await reply.code(status).send()
  }
}

/** Sets the name of the request in logs and metrics. */
function named(endpoint: string) {
  return (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
    request.endpoint = endpoint
    done()
  }
}

function bodyValidator(schema: TSchema, { access, scope, furtherIssues, replies }: Route) {
  const { properties, additionalProperties } = recordOf(schema)
  const findStray = strayFinder(recordOf(properties), {
    isOpen: additionalProperties === true,
    streams: replies[200]?.events !== undefined,
  })
  // What is for the gateway itself is not sent to providers, and may have maps whose keys are names of the operator.
  const misspelled = access === 'key' ? nestedSpellingIssues : spellingIssues
  const { check, issues } = validator(schema)
  return (request: FastifyRequest) => {
    const value = (request.body as JsonBody | undefined)?.value
    const spelling = misspelled(value)
    const stray = scope === undefined ? [] : findStray(value)
    if (check(value) && spelling.length === 0 && stray.length === 0) return
    const found = [...issues(value, ['body']), ...spelling, ...stray, ...(furtherIssues?.(value) ?? [])]
    throw validationProblem(found, found[0] && meantBy(found[0], schema))
  }
}
