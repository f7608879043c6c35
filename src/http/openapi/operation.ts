import type { TSchema } from '../../schema/type.ts'
import { ChatChunk } from '../../contract/chat-reply.ts'
import type { Route } from '../services.ts'
import { areaOf } from './areas.ts'
import { contentOf } from './content.ts'
import { callsModel, sharedErrors } from './errors.ts'
import { callHeadersOf, headersOf, securityOf } from './headers.ts'
import { parametersOf } from './parameters.ts'
import { printSchema } from './print-schema.ts'
import type { Content, Operation, Reply, Schema, Schemas } from './shape.ts'

/** Describes one route in OpenAPI. */
export function operationOf(route: Route, schemas: Schemas): Operation {
  const parameters = parametersOf(route, schemas)
  return {
    operationId: operationId(route),
    tags: [areaOf(route)],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...((route.body || route.form) && { requestBody: { required: true, content: bodiesOf(route, schemas) } }),
    responses: { ...sharedErrors(route), ...ownReplies(route, schemas) },
  }
}

function bodiesOf({ body, form }: Route, schemas: Schemas): Content {
  return {
    ...(body && contentOf(body, schemas)),
    ...(form && contentOf(form, schemas, 'multipart/form-data')),
  }
}

/** `GET /v3/models/{model}` is `getModelsByModel`. */
function operationId({ method, path }: Route): string {
  const readable = path.replace(/^\/v3/, '').replaceAll('{', 'by_')
  const words = readable.match(/[a-z0-9]+/gi) ?? []
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function ownReplies(route: Route, schemas: Schemas): Record<string, Reply> {
  const replies = Object.entries(route.replies)
  return Object.fromEntries(replies.map(([status, reply]) => [status, replyOf(route, Number(status), reply, schemas)]))
}

function replyOf(route: Route, status: number, reply: Route['replies'][number], schemas: Schemas): Reply {
  const { description, schema, contentType = schema && 'application/json' } = reply
  const streams = status === 200 && mayStream(route)
  return {
    description,
    headers: headersOf(status, callsModel(route) ? callHeadersOf(route) : []),
    ...(contentType && { content: { ...bodyOf(schema, contentType, schemas), ...(streams && events(schemas)) } }),
  }
}

function bodyOf(schema: TSchema | undefined, contentType: string, schemas: Schemas): Content {
  return schema ? contentOf(schema, schemas, contentType) : { [contentType]: {} }
}

/** A body with a `stream` field can be answered with chunks. */
function mayStream({ body }: Route): boolean {
  return (body as Schema | undefined)?.properties?.stream !== undefined
}

function events(schemas: Schemas): Content {
  return { 'text/event-stream': { schema: printSchema(ChatChunk, schemas) } }
}
