import { STATUS_CODES } from 'node:http'
import type { TSchema } from 'typebox'
import { ChatChunk } from '../contract/chat-reply.ts'
import { ErrorBody, ValidationErrorBody } from '../contract/errors.ts'
import { PROBLEMS } from '../contract/problems.ts'
import { WebhookPayload } from '../contract/webhook.ts'
import type { Route } from './route.ts'

/** The parts of OpenAPI 3.1 that we print. */
export type OpenApiDocument = {
  openapi: string
  info: { title: string; version: string; summary: string; description: string; license: object }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Reply>
    headers: Record<string, { description: string; schema: Schema }>
    securitySchemes: Record<string, { type: string; description: string; [field: string]: string }>
  }
}

export type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Reply | Reference>
}

export type Parameter = { name: string; in: string; required: boolean; description?: string; schema: Schema }
export type Reply = { description: string; headers?: Record<string, Reference>; content?: Content }
export type Content = Record<
  string,
  { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
>
export type Reference = { $ref: string }

export type Schema = {
  $ref?: string
  title?: string
  description?: string
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  [keyword: string]: unknown
}

const INFO = {
  title: 'Gatehouse',
  version: '3.0.0',
  summary: 'One authenticated HTTP API in front of many AI providers.',
  description:
    'Gatehouse speaks the chat-completions wire format, so existing clients work: give them the base URL and a key, ' +
    'and name models as `provider/model`. The model `sandbox/echo` is simulated, free and needs no account anywhere: it ' +
    'answers with the text that it was sent.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
}

const AREAS = ['Chat', 'Images', 'Universal tasks', 'Files', 'Models', 'Tokens', 'Health', 'Docs', 'Admin']
const AREA_OF_SCOPE: Record<NonNullable<Route['scope']>, string> = {
  chat: 'Chat',
  images: 'Images',
  universal: 'Universal tasks',
  files: 'Files',
  models: 'Models',
  tokens: 'Tokens',
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: '`Authorization: Bearer <key>`, as most clients send it.' },
  'x-api-key': {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: '`x-api-key: <key>`, as some clients do.',
  },
}

const HEADERS: Record<string, string> = {
  'x-request-id': 'Identifies the request in the logs of the gateway. Every answer carries it.',
  'x-gatehouse-model': 'The model that answered, as `provider/model`.',
  'x-gatehouse-provider': 'The provider that answered.',
  'x-gatehouse-attempts': 'How many models or providers were asked until one answered.',
  'x-gatehouse-cost': 'What the call cost, in USD. Absent when the price is not known, and on a stream.',
  'retry-after': 'Seconds to wait before the next try, where they are known.',
  'www-authenticate': 'Always `Bearer`.',
}
const CALL_HEADERS = ['x-gatehouse-model', 'x-gatehouse-provider', 'x-gatehouse-attempts', 'x-gatehouse-cost']
const HEADERS_OF_STATUS: Record<number, string[]> = {
  401: ['www-authenticate'],
  429: ['retry-after'],
  503: ['retry-after'],
}

/** By title of the schema; bodies and replies of that schema are printed with it. */
const EXAMPLES: Record<string, unknown> = {
  ChatRequest: { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello!' }] },
  ChatCompletion: {
    id: 'chatcmpl-3ce9512391320f46618568e2',
    object: 'chat.completion',
    created: 1767225600,
    model: 'sandbox/echo',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop', logprobs: null }],
    usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
    cost: 0,
    provider: 'sandbox',
  },
}

/** The API as its routes are, nothing else: what is not registered is not printed. */
export function openapiDocument(routes: readonly Route[], webhooks = false): OpenApiDocument {
  const schemas: Schemas = {}
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    paths[route.path]![route.method.toLowerCase()] = operationOf(route, schemas)
  }
  const statuses = [...new Set(routes.flatMap(standardErrors))].sort()
  const responses = Object.fromEntries(statuses.map((status) => [errorName(status), errorReply(status, schemas)]))
  const jobs = webhooks ? { async_job_completed: { post: webhookOperation(schemas) } } : undefined
  const areas = [...routes.map(areaOf), ...(jobs ? jobs.async_job_completed.post.tags : [])]
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/' }],
    tags: AREAS.filter((area) => areas.includes(area)).map((name) => ({ name })),
    paths,
    ...(jobs && { webhooks: jobs }),
    components: {
      responses,
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: mapValues(HEADERS, (description) => ({ description, schema: { type: 'string' } })),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

function operationOf(route: Route, schemas: Schemas): Operation {
  const parameters = parametersOf(route, schemas)
  const shared = standardErrors(route).map((status) => [
    status,
    { $ref: `#/components/responses/${errorName(status)}` },
  ])
  const own = Object.entries(route.replies).map(([status, reply]) => [
    status,
    replyOf(route, Number(status), reply, schemas),
  ])
  return {
    operationId: operationId(route),
    tags: [areaOf(route)],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    security: route.access === 'open' ? [] : Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] })),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: { required: true, content: contentOf(route.body, schemas) } }),
    responses: Object.fromEntries([...shared, ...own]),
  }
}

function areaOf({ scope, access, path }: Route): string {
  if (scope) return AREA_OF_SCOPE[scope]
  if (path.startsWith('/health/')) return 'Health'
  return access === 'admin' || path === '/metrics' ? 'Admin' : 'Docs'
}

/** `GET /v3/models/{model}` is `getModelsByModel`. */
function operationId({ method, path }: Route): string {
  const words =
    path
      .replace(/^\/v3/, '')
      .replaceAll('{', 'by_')
      .match(/[a-z0-9]+/gi) ?? []
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function parametersOf({ path, greedy, query, scope }: Route, schemas: Schemas): Parameter[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const description = greedy ? 'May hold slashes, as they are or encoded.' : undefined
  const inPath = names.map((name) => ({ name, in: 'path', required: true, description, schema: { type: 'string' } }))
  return [...inPath, ...queryParameters(query, schemas), ...(scope === 'chat' ? [METADATA] : [])]
}

const METADATA: Parameter = {
  name: 'x-gatehouse-metadata',
  in: 'header',
  required: false,
  description: 'Adds a `gatehouse` object to the answer: attempts, notes on translated fields, hooks, timings.',
  schema: { enum: ['enabled'] },
}

function queryParameters(query: TSchema | undefined, schemas: Schemas): Parameter[] {
  const { properties = {}, required = [] } = (query ?? {}) as Schema
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = print(property, schemas)
    return { name, in: 'query', required: required.includes(name), description, schema }
  })
}

function replyOf(route: Route, status: number, reply: Route['replies'][number], schemas: Schemas): Reply {
  const names = status < 400 && callsModel(route) ? CALL_HEADERS : (HEADERS_OF_STATUS[status] ?? [])
  const { description, schema, contentType = schema && 'application/json' } = reply
  return {
    description,
    headers: headerReferences(names),
    ...(contentType && {
      content: {
        ...(schema ? contentOf(schema, schemas, contentType) : { [contentType]: {} }),
        ...(status === 200 && mayStream(route) && { 'text/event-stream': { schema: print(ChatChunk, schemas) } }),
      },
    }),
  }
}

function contentOf(schema: TSchema, schemas: Schemas, contentType = 'application/json'): Content {
  const example = EXAMPLES[(schema as Schema).title ?? '']
  return { [contentType]: { schema: print(schema, schemas), ...(example !== undefined && { example }) } }
}

function headerReferences(names: string[]): Record<string, Reference> {
  return Object.fromEntries(['x-request-id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function callsModel({ scope, body }: Route): boolean {
  return body !== undefined && (scope === 'chat' || scope === 'images' || scope === 'universal')
}

/** A body with this switch is answered by chunks when it is on. */
function mayStream({ body }: Route): boolean {
  return (body as Schema | undefined)?.properties?.stream !== undefined
}

/** What any route of this kind may answer besides what it says itself. */
function standardErrors(route: Route): number[] {
  const { access, scope, body, query, path, replies } = route
  const statuses = [
    ...(access === 'open' ? [] : [401]),
    ...(scope ? [403] : []),
    ...(callsModel(route) || path.includes('{') ? [404] : []),
    ...(body ? [413, 415] : []),
    ...(body || query ? [422] : []),
    ...(access === 'key' ? [429] : []),
    ...(callsModel(route) ? [400, 424, 451, 502, 504] : []),
    ...(path.startsWith('/health/') ? [] : [503]),
  ]
  return statuses.filter((status) => !(status in replies))
}

function errorName(status: number): string {
  return STATUS_CODES[status]!.replaceAll(' ', '')
}

function errorReply(status: number, schemas: Schemas): Reply {
  const rows = Object.entries(PROBLEMS).filter(([, row]) => row.status === status)
  const examples = rows.map(([code, { sentence: message, type }]) => {
    const detail =
      status === 422 ? { detail: [{ loc: ['body', 'model'], msg: 'Field required', type: 'missing' }] } : {}
    return [code, { value: { ...detail, error: { message, type, code, param: null } } }]
  })
  const schema = print(status === 422 ? ValidationErrorBody : ErrorBody, schemas)
  return {
    description: rows.map(([code, { sentence }]) => `\`${code}\`: ${sentence}`).join(' '),
    headers: headerReferences(HEADERS_OF_STATUS[status] ?? []),
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  }
}

function webhookOperation(schemas: Schemas): Operation {
  const header = (name: string, description: string): Parameter => {
    return { name, in: 'header', required: true, description, schema: { type: 'string' } }
  }
  return {
    operationId: 'asyncJobCompleted',
    tags: ['Universal tasks'],
    summary: 'A job is done',
    description:
      'Posted to the `webhook_receiver` of a job. To check the signature, write the payload as JSON with sorted ' +
      'keys and two spaces of indent, and verify the hexadecimal SHA-256 of that text. The same job may be told of ' +
      'more than once.',
    parameters: [
      header('X-Service-Webhook', 'Always `true`.'),
      header('X-Service-Signature', 'RSA PKCS#1 v1.5 signature with SHA-256, in hexadecimal.'),
      header('X-Service-Hash-Algorithm', 'Always `SHA256`.'),
    ],
    requestBody: { required: true, content: contentOf(WebhookPayload, schemas) },
    responses: {
      '2XX': { description: 'Taken. 4XX is final too; everything else is tried again, up to three times.' },
    },
  }
}

type Schemas = Record<string, Schema>

/** A schema as plain JSON Schema. Whatever has a title becomes a component, once, and is referred to. */
function print(schema: TSchema | Schema, schemas: Schemas): Schema {
  const plain = withParts(schema as Schema, (part) => print(part, schemas))
  const { title } = plain
  if (title === undefined) return plain
  if (schemas[title] && JSON.stringify(schemas[title]) !== JSON.stringify(plain))
    throw new Error(`Two schemas are called ${title}`)
  schemas[title] = plain
  return { $ref: `#/components/schemas/${title}` }
}

/** Copies what is enumerable; typebox keeps its own marks where this does not reach. */
function withParts(schema: Schema, change: (part: Schema) => Schema): Schema {
  const { properties, items, anyOf, additionalProperties } = schema
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, change) }),
    ...(items && { items: change(items) }),
    ...(anyOf && { anyOf: anyOf.map(change) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: change(additionalProperties) }),
  }
}

function mapValues<From, To>(record: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
