import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { PROBLEMS } from '../../contract/problems.ts'
import type { TSchema } from '../../base/schema/type.ts'
import type { Route } from '../route.ts'
import { idsIn } from '../paths/path-ids.ts'
import { statusText } from '../status-text.ts'
import { contentOf } from './content.ts'
import { headersOf } from './headers.ts'
import { printSchema } from './print-schema.ts'
import type { Reference, Reply, Schema, Schemas } from '../../contract/openapi/document.ts'

/** The errors that any route of a kind may answer with, besides those that it declares itself. */
const ERRORS_BY_KIND: [(route: Route) => boolean, number[]][] = [
  [({ access }) => access !== 'open', [401, 403]],
  [(route) => callsModel(route) || route.path.includes('{') || route.isOn !== undefined, [404]],
  [(route) => takesBody(route), [413, 415]],
  // With the cookie of a session, a body that is not JSON is refused everywhere (admin-auth.ts).
  [({ access, method }) => access === 'admin' && method !== 'GET', [415]],
  [(route) => takesBody(route) || route.query !== undefined || (idsIn(route).length > 0 && !route.noSuch), [422]],
  [({ access }) => access === 'key', [429]],
  [callsModel, [402, 424, 429, 502, 504]],
  [(route) => callsModel(route) || countsTokens(route), [451]],
  [({ path }) => !path.startsWith('/health/'), [503]],
]

const ERROR_ITEM = { loc: ['body', 'model'], msg: 'Field required', type: 'missing' }

/** Every error that any of the routes may answer with, once. */
export function errorComponents(routes: readonly Route[], schemas: Schemas): Record<string, Reply> {
  const statuses = [...new Set(routes.flatMap((route) => statusesOf(route, listenerErrors(routes))))].sort()
  return Object.fromEntries(statuses.map((status) => [nameOf(status), errorReply(status, schemas)]))
}

/** Errors that every route of a listener may answer with. */
export function listenerErrors(routes: readonly Route[]): number[] {
  // The admin listener refuses pages of other origins (check-origin.ts).
  return routes.some(({ access }) => access === 'admin') ? [400, 403] : [400]
}

export function sharedErrors(
  route: Route,
  ofListener: readonly number[],
  schemas: Schemas,
): Record<string, Reference | Reply> {
  const { errors } = route
  const error = (status: number) =>
    errors ? ownError(status, errors, schemas) : { $ref: `#/components/responses/${nameOf(status)}` }
  return Object.fromEntries(statusesOf(route, ofListener).map((status) => [status, error(status)]))
}

/** An error in the client format of a route. */
function ownError(status: number, errors: TSchema, schemas: Schemas): Reply {
  const rows = Object.entries(PROBLEMS).filter(([, row]) => row.status === status)
  return {
    description: rows.map(([, { sentence }]) => sentence).join(' '),
    headers: headersOf(status),
    content: contentOf(errors, schemas),
  }
}

function takesBody({ body, form }: Route): boolean {
  return body !== undefined || form !== undefined
}

export function callsModel(route: Route): boolean {
  const { scope, body } = route
  return (
    body !== undefined && (scope === 'universal' || ((scope === 'chat' || scope === 'images') && namesModel(route)))
  )
}

/** Conversations are stored without a model. */
export function namesModel({ path, body, form }: Route): boolean {
  const names = [body, form].some((schema) => schema && 'model' in ((schema as Schema).properties ?? {}))
  return names || path.includes('{model}')
}

/** Nothing is run, but the model is looked up as for a call. */
function countsTokens({ scope }: Route): boolean {
  return scope === 'tokens'
}

function statusesOf(route: Route, ofListener: readonly number[]): number[] {
  const ofKind = ERRORS_BY_KIND.flatMap(([isOfKind, errors]) => (isOfKind(route) ? errors : []))
  return [...new Set([...ofListener, ...ofKind])].filter((status) => !(status in route.replies))
}

function nameOf(status: number): string {
  return statusText(status).replaceAll(' ', '')
}

function errorReply(status: number, schemas: Schemas): Reply {
  const rows = Object.entries(PROBLEMS).filter(([, row]) => row.status === status)
  const detail = status === 422 ? { detail: [ERROR_ITEM] } : {}
  const examples = rows.map(([code, { sentence: message, type }]) => {
    return [code, { value: { ...detail, error: { message, type, code, param: null } } }]
  })
  const schema = printSchema(status === 422 ? ValidationErrorBody : ErrorBody, schemas)
  return {
    description: rows.map(([code, { sentence }]) => `\`${code}\`: ${sentence}`).join(' '),
    headers: headersOf(status),
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  }
}
