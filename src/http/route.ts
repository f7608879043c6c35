import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Logger } from 'pino'
import type { ManagementScope } from '../contract/admin/people.ts'
import type { EndpointScope } from '../tenants/access/policy.ts'
import type { Problem } from '../contract/problems.ts'
import type { Config } from '../platform/config/config.ts'
import type { Permission } from '../tenants/people/roles.ts'
import type { TObject, TSchema } from '../base/schema/type.ts'
import type { ValidationIssue } from '../base/schema/validation-issue.ts'
import type { Health } from './health.ts'
import type { ActiveServices, Services } from './services.ts'
import type { OpenSockets } from './websocket/open-sockets.ts'

/** One endpoint: its name, who may call it, its input and its output. It serves requests and describes itself in /docs. */
export type Route = Access & {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As in OpenAPI: `/v3/models/{model}`. */
  path: string
  scope?: EndpointScope
  /** It stores what the caller sends, so a key with the data policy `zero_retention` may not use it. */
  stores?: boolean
  /** Whether the configuration turns the route on. Otherwise its address answers as if there were nothing. */
  isOn?: (config: Config) => boolean
  /** What an id in the path names, in formats in which an id of any form is at most unknown (404). Elsewhere its form is checked (422). */
  noSuch?: string
  /** Guardrails do not see what it sends, so a key to which one applies that could block or redact may not use it. */
  isUnguarded?: boolean
  summary: string
  description?: string
  /** The last parameter of the path may contain slashes. */
  greedy?: boolean
  /** The path of the router, if `paths/other-paths.ts` rewrites the path for it. */
  routedAs?: string
  /** The body of errors, if the client format of the route has its own. */
  errors?: TSchema
  body?: TSchema
  /** Finds further issues in a body that its schema refuses, so that all of them are reported at once. */
  furtherIssues?: (body: unknown) => ValidationIssue[]
  /**
   * Accepts a multipart form instead of JSON, or in addition if there is a `body`. The bytes are passed on as they arrive.
   */
  multipart?: boolean
  /** Accepts a form as HTML pages and OAuth clients send it; the handler gets its text. */
  isUrlForm?: boolean
  /** Passes JSON on unparsed as it arrives, too. The handler checks it against `body`. */
  streamsJson?: boolean
  /** With `streamsJson`: passes a body of any media type on as it arrives, because it is the content of a file. */
  takesAnyType?: boolean
  /** With `streamsJson`: the handler reads `content-encoding` itself. */
  unpacks?: boolean
  /** Answers a request for a WebSocket. */
  isWebSocket?: boolean
  /** The fields of the form, for /docs. The handler checks them itself. */
  form?: TSchema
  query?: TObject
  /** The handler reads the query itself, as it was written. */
  rawQuery?: boolean
  replies: Record<number, RouteReply>
  /** A method, because the request of a handler has the types of the route's schemas (`define-route.ts`). */
  handle(request: FastifyRequest, reply: FastifyReply, services: HttpServices): unknown
}

/**
 * Who may call a route. It is required, so that a route that does not say so does not compile; and a route of the admin
 * listener does not compile without the permission that it needs. `self`: every known caller, for their own account. `manage`: a
 * management key with this scope, on the API.
 */
type Access =
  | { access: 'key' | 'open'; permission?: undefined; manages?: undefined }
  | { access: 'admin'; permission: Permission | 'self'; manages?: undefined }
  | { access: 'manage'; permission?: undefined; manages: ManagementScope | 'self' }

/** Without a `contentType`, a body with a schema is JSON. */
export type RouteReply = {
  description: string
  schema?: TSchema
  contentType?: string | readonly string[]
  /** One event of the stream that is sent instead, if the request asks for a stream. */
  events?: TSchema
  /** Media types with a text, beside the body above. */
  texts?: readonly string[]
}

/** What the handlers of routes need. */
export type HttpServices = Services & {
  /** The services of now, for what is asked before a request has its own. */
  active: ActiveServices
  health: Health
  routes: readonly Route[]
  shedsLoad: boolean
  sockets: OpenSockets
  /** The routes of the API, for the listener that explains what they would do. */
  apiRoutes?: readonly Route[]
  listener: 'api' | 'admin'
  /** For errors of replies that have begun; absent in a dry run, which begins none. */
  log?: Pick<Logger, 'error' | 'warn'>
  /** Rewrites the addresses of requests before the router sees them. */
  rewriteUrl?: (url: string, headers: IncomingMessage['headers']) => string
  /** What decides whether a caller may use a route, if callers have no keys: lines of batches. */
  guard?: (route: Route) => onRequestHookHandler
  /** Refuses requests before any key is checked, also those that need none: /metrics, /health, unknown paths. */
  refuses?: (request: IncomingMessage) => Problem | undefined
}
