import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EndpointScope } from '../access/caller.ts'
import type { AppContext } from '../app/context.ts'
import type { TSchema } from '../schema/type.ts'
import type { ValidationIssue } from '../schema/validation-issue.ts'
import type { Health } from './health.ts'

/** One endpoint: what it is called, who may call it, what goes in and out. It serves requests and it prints itself in /docs. */
export type Route = {
  method: 'GET' | 'POST' | 'DELETE'
  /** As in OpenAPI: `/v3/models/{model}`. */
  path: string
  /** Not optional: a route that forgets to say who may call it does not compile. */
  access: 'key' | 'admin' | 'open'
  scope?: EndpointScope
  summary: string
  description?: string
  /** A parameter that may hold slashes; the last one of the path. */
  greedy?: boolean
  body?: TSchema
  /** What else may be wrong with a body that its schema refuses: all of it is told at once. */
  furtherIssues?: (body: unknown) => ValidationIssue[]
  /** Takes a multipart form instead of JSON, or beside it where there is a `body`; its bytes are handed on as they arrive. */
  multipart?: boolean
  /** Hands its JSON on as it arrives as well, unread: who takes it checks it against `body`. */
  streamsJson?: boolean
  /** What the form holds, for /docs: who reads it checks it, part by part. */
  form?: TSchema
  query?: TSchema
  replies: Record<number, { description: string; schema?: TSchema; contentType?: string }>
  handle: Handler
}

export type Handler = (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => unknown

/** What the handlers live in. */
export type HttpServices = { context: AppContext; health: Health; routes: readonly Route[]; shedsLoad: boolean }
