import type { Route, RouteReply } from '../route.ts'
import { areaOf } from './areas.ts'
import { contentOf } from './content.ts'
import { callsModel, sharedErrors } from './errors.ts'
import { CALL_HEADERS, headersOf, securityOf } from './headers.ts'
import { parametersOf } from './parameters.ts'
import { UniversalAsyncRequest } from '../../contract/universal.ts'
import { webhooks } from './webhook.ts'
import type { Content, Operation, Reply, Schemas } from '../../contract/openapi/document.ts'

/** Describes one route in OpenAPI. */
export function operationOf(route: Route, ofListener: readonly number[], schemas: Schemas): Operation {
  const parameters = parametersOf(route, schemas)
  return {
    operationId: operationId(route),
    tags: [areaOf(route)],
    summary: route.summary,
    ...descriptionOf(route),
    ...(route.access === 'admin' && { 'x-permission': route.permission }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...((route.body || route.form) && { requestBody: { required: true, content: bodiesOf(route, schemas) } }),
    responses: { ...sharedErrors(route, ofListener, schemas), ...ownReplies(route, schemas) },
    ...(route.body === UniversalAsyncRequest && { callbacks: webhooks(schemas) }),
  }
}

/** Every operation for operators says what the asker needs. docs/roles.md says which roles have it. */
function descriptionOf(route: Route): { description?: string } {
  const texts = [...(route.description ? [route.description] : []), ...needsOf(route)]
  return texts.length > 0 ? { description: texts.join(' ') } : {}
}

function needsOf({ access, permission, manages }: Route): string[] {
  if (access === 'manage')
    return [manages === 'self' ? 'Needs a management key.' : `Needs a management key with the scope \`${manages}\`.`]
  if (access !== 'admin') return []
  return permission === 'self'
    ? ['Needs no permission beyond a valid sign-in or key.']
    : [`Needs the permission \`${permission}\`.`]
}

function bodiesOf({ body, form, isUrlForm, access }: Route, schemas: Schemas): Content {
  const contentType = isUrlForm ? 'application/x-www-form-urlencoded' : 'multipart/form-data'
  // Requests of the admin API share schemas with its replies, which do have null.
  const isWithoutNull = access !== 'admin'
  return {
    ...(body && contentOf(body, schemas, { isWithoutNull })),
    ...(form && contentOf(form, schemas, { contentType, isWithoutNull })),
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

function replyOf(route: Route, status: number, reply: RouteReply, schemas: Schemas): Reply {
  const content = contentsOf(reply, schemas)
  return {
    description: reply.description,
    headers: headersOf(status, callsModel(route) ? CALL_HEADERS : []),
    ...(Object.keys(content).length > 0 && { content }),
  }
}

/** JSON comes first, because generators read the first media type only. */
function contentsOf({ schema, contentType = 'application/json', texts = [], events }: RouteReply, schemas: Schemas) {
  const types = schema ? [contentType].flat() : []
  const bodies = types.map((type) => contentOf(schema!, schemas, { contentType: type }))
  const others = texts.map((type) => ({ [type]: { schema: { type: 'string' } } }))
  const streams = events ? [contentOf(events, schemas, { contentType: 'text/event-stream' })] : []
  return Object.assign({}, ...bodies, ...others, ...streams) as Content
}
