import type { HttpServices, Route } from './services.ts'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { TSchema } from '../schema/type.ts'
import { problem } from '../contract/problems.ts'
import { validator } from '../schema/validator.ts'
import { spellingIssues } from '../upstream/governed-names.ts'
import type { JsonBody } from '../json/parse-body.ts'
import { requireAdmin, requireKey } from './auth.ts'
import { validationProblem } from './problems.ts'
import { streamJson } from './read-json.ts'

const OTHER_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

export function registerRoutes(app: FastifyInstance, services: HttpServices): void {
  for (const route of services.routes) {
    const options = { method: route.method, url: pathOf(route), ...wiring(route, services) }
    if (route.streamsJson) registerStreaming(app, options)
    else app.route(options)
  }
  for (const path of new Set(services.routes.map(pathOf))) refuseOtherMethods(app, path, services)
}

/** Registers the route in a Fastify scope of its own, because a body parser applies to all routes of a scope. */
function registerStreaming(app: FastifyInstance, options: RouteOptions): void {
  void app.register(async (scope) => {
    scope.removeContentTypeParser('application/json')
    scope.addContentTypeParser('application/json', streamJson)
    scope.route(options)
  })
}

function wiring(route: Route, services: HttpServices) {
  const validate = route.body && !route.streamsJson && bodyValidator(route.body, route.furtherIssues)
  return {
    config: { route },
    onRequest: [named(`${route.method} ${route.path}`), guardOf(route, services)].flat(),
    handler: (request: FastifyRequest, reply: FastifyReply) => {
      if (validate && !(request.body instanceof Readable)) validate(request)
      return route.handle(request, reply, services)
    },
  }
}

/** Sets the name of the request in logs and metrics. */
function named(endpoint: string) {
  return (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
    request.endpoint = endpoint
    done()
  }
}

function guardOf({ access, scope }: Route, services: HttpServices) {
  if (access === 'open') return []
  return access === 'admin' ? requireAdmin(services.context) : requireKey(services, scope)
}

function bodyValidator(schema: TSchema, furtherIssues: Route['furtherIssues']) {
  const { check, issues } = validator(schema)
  return (request: FastifyRequest) => {
    const value = (request.body as JsonBody | undefined)?.value
    const spelling = spellingIssues(value)
    if (check(value) && spelling.length === 0) return
    throw validationProblem([...issues(value, ['body']), ...spelling, ...(furtherIssues?.(value) ?? [])])
  }
}

function pathOf({ path, greedy }: Route): string {
  const parameters = path.replace(/\{(\w+)\}/g, ':$1')
  return greedy ? parameters.replace(/:\w+$/, '*') : parameters
}

/**
 * A known path with another method gets a 405 that lists its methods. The path's own access rule decides who may see that.
 */
function refuseOtherMethods(app: FastifyInstance, path: string, services: HttpServices): void {
  const here = services.routes.filter((route) => pathOf(route) === path)
  const allowed = here.map(({ method }) => method)
  const taken: string[] = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed
  app.route({
    method: OTHER_METHODS.filter((method) => !taken.includes(method)),
    url: path,
    onRequest: guardOf({ ...here[0]!, scope: undefined }, services),
    handler: (_request, reply) => {
      reply.header('allow', taken.join(', '))
      throw problem('method_not_allowed')
    },
  })
}
