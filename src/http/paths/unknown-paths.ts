import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Problem, problem } from '../../contract/problems.ts'
import { shownPath } from '../../base/redaction/shown-path.ts'
import { guardOf } from '../guard.ts'
import { rawAnswer } from '../problems.ts'
import type { HttpServices, Route } from '../route.ts'
import { documentedUrl } from './other-paths.ts'
import { rightPath } from './right-path.ts'

// Refuses unknown paths with 404 and other methods of known paths with 405. Both happen before the body is read, so its
// content type does not matter. A route for each method that a path does not have would take more time at the start than all
// real routes.

type Done = (error?: Error) => void

/** The path as the router writes it. */
export function routerPath({ path, greedy, routedAs }: Route): string {
  if (routedAs) return routedAs
  const parameters = path.replace(/\{(\w+)\}/g, ':$1')
  return greedy ? parameters.replace(/:\w+$/, '*') : parameters
}

/** Without these, GET /v3/responses/input_tokens would find GET /v3/responses/{id}. */
export function refuseShadowedMethods(app: FastifyInstance, services: HttpServices): void {
  for (const { path, allowed, access, shadowed } of pathsOf(services)) {
    if (shadowed.length === 0) continue
    const onRequest = [guardOf({ access }, services), refuseWith(otherMethod(allowed))].flat()
    app.route({ method: shadowed, url: path, onRequest, handler: neverReached })
  }
}

/** For requests that the router finds nothing for. A known path with another method gets a 405 that lists its methods. */
export function unknownPathRefusal(services: HttpServices) {
  const paths = pathsOf(services)
  return (request: FastifyRequest, reply: FastifyReply, done: Done) => {
    const found = pathNamed(request.url, paths)
    if (!found || found.allowed.includes(request.method) || isOff(found, services))
      return done(nothingAt({ method: request.method, url: request.originalUrl }, routesOnIn(services)))
    const guard = guardOf(found, services)
    const refuse = (error?: Error) => done(error ?? otherMethod(found.allowed))
    return typeof guard === 'function' ? guard(request, reply, refuse) : refuse()
  }
}

/** A route that the configuration does not turn on answers like an unknown path. */
export function refuseIfOff(route: Pick<Route, 'isOn'>, services: HttpServices) {
  if (!route.isOn) return []
  return (request: FastifyRequest, _reply: FastifyReply, done: Done) => {
    const { method, originalUrl: url } = request
    done(isOff(route, services) ? nothingAt({ method, url }, routesOnIn(services)) : undefined)
  }
}

function routesOnIn(services: HttpServices): Route[] {
  return services.routes.filter((route) => !isOff(route, services))
}

function isOff({ isOn }: Pick<Route, 'isOn'>, { active }: HttpServices): boolean {
  return isOn !== undefined && !isOn(active.current.calls.config)
}

/** Node hands over CONNECT as a tunnel and not as a request, and closes the connection if no listener handles it. */
export function refuseTunnels(server: Server, services: HttpServices, log: Logger): void {
  const paths = pathsOf(services)
  const { rewriteUrl = (written: string) => written } = services
  server.on('connect', ({ method = '', url = '', headers }: IncomingMessage, socket: Socket) => {
    const found = pathNamed(rewriteUrl(url, headers), paths)
    socket.on('error', () => socket.destroy())
    const refusal =
      found && !isOff(found, services) ? otherMethod(found.allowed) : nothingAt({ method, url }, services.routes)
    log.info({ method, path: shownPath(url), status: refusal.status, code: refusal.code }, 'a tunnel was refused')
    socket.end(rawAnswer(refusal))
  })
}

type KnownPath = Pick<Route, 'access' | 'isOn'> & {
  path: string
  pattern: RegExp
  allowed: string[]
  isFixed: boolean
  /** Methods that the path does not have, but a more general one that it matches. */
  shadowed: string[]
}

/** All servers with the same routes have the same paths. */
const knownPaths = new WeakMap<readonly Route[], KnownPath[]>()

function pathsOf({ routes }: HttpServices): KnownPath[] {
  const paths = knownPaths.get(routes) ?? readPaths(routes)
  knownPaths.set(routes, paths)
  return paths
}

function readPaths(routes: readonly Route[]): KnownPath[] {
  const paths = [...Map.groupBy(routes, routerPath)].map(([path, here]) => {
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`, 's')
    const { access, isOn } = here[0]!
    return { path, pattern, allowed: methodsOf(here), access, isOn, isFixed: !/[:*]/.test(path) }
  })
  const general = paths.filter(({ isFixed }) => !isFixed)
  return paths.map((one) => ({ ...one, shadowed: shadowedMethods(one, general) }))
}

function shadowedMethods(
  { path, allowed }: Omit<KnownPath, 'shadowed'>,
  general: Omit<KnownPath, 'shadowed'>[],
): string[] {
  const others = general.filter((other) => other.path !== path && other.pattern.test(path))
  return [...new Set(others.flatMap((other) => other.allowed))].filter((method) => !allowed.includes(method))
}

/** As in the router, a path without parameters is preferred to one whose parameter it would match. */
function pathNamed(url: string, paths: readonly KnownPath[]): KnownPath | undefined {
  const path = decoded(url.split('?', 1)[0]!)
  const found = paths.filter(({ pattern }) => pattern.test(path))
  return found.find(({ isFixed }) => isFixed) ?? found[0]
}

/** As the router decodes it. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

function methodsOf(routes: readonly Route[]): string[] {
  const allowed: string[] = routes.map(({ method }) => method)
  return allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed
}

function otherMethod(allowed: readonly string[]): Problem {
  const methods = allowed.filter((method) => method !== 'HEAD').join(' or ')
  const message = `This path exists, but not with this method. Use ${methods}.`
  return problem('method_not_allowed', { message, headers: { allow: allowed.join(', ') } })
}

/** What clients of other formats have methods for, and what to do here instead. */
const NOT_OFFERED: readonly { pattern: RegExp; instead: string }[] = [
  {
    pattern: /\/cachedContents(?:\/|$)/i,
    instead:
      'The gateway has no endpoints for caches. Send the whole content with each request: providers reuse a repeated beginning, and ' +
      'the gateway makes a cache of what `cache_control` marks in chat completions and messages.',
  },
  {
    pattern: /\/files\/[^/]+\/url$/i,
    instead:
      'The gateway makes no addresses of files that work without a key. Download the bytes (/v3/files/{file_id}/content), or name the ' +
      'file by its id in the request: the gateway sends it to the provider.',
  },
  {
    pattern: /\/deployments(?:\/?$|\/\/)/,
    instead: 'Name the deployment, which is a model or an alias here: /openai/deployments/{name}/chat/completions.',
  },
  {
    pattern: /\/fileSearchStores(?:\/|$)/i,
    instead:
      'Upload the file (/v3/upload/v1beta/files) and name it in the request, or use the collections of /v3/universal-ai.',
  },
]

function nothingAt({ method, url }: { method: string; url: string }, routes: readonly Route[]): Problem {
  const path = url.split('?', 1)[0]!.slice(0, 200)
  const instead = NOT_OFFERED.find(({ pattern }) => pattern.test(path))?.instead
  if (instead !== undefined)
    return problem('not_found', { message: `There is nothing at ${method} ${path}. ${instead}` })
  const meant = rightPath(path, routes) ?? rightPath(documentedUrl(path), routes)
  const hint = meant ? `Did you mean ${meant}? ` : ''
  return problem('not_found', { message: `There is nothing at ${method} ${path}. ${hint}See /docs for all endpoints.` })
}

function refuseWith(refusal: Problem) {
  return (_request: FastifyRequest, _reply: FastifyReply, done: Done) => done(refusal)
}

function neverReached(): never {
  throw new Error('This request was refused before its body was read.')
}
