import { Build, Errors } from 'typebox/schema'
import { documentedUrl } from '../../src/http/paths/other-paths.ts'
import type { OpenApiDocument, Operation, Reply, Schema } from '../../src/contract/openapi/document.ts'
import { eventsIn } from './events.ts'
import { operationFinder } from './operations.ts'

type Answer = {
  method: string
  url: string
  status: number
  contentType: string | undefined
  body: string
  /** Of longer bodies only the beginning was kept. */
  isWhole: boolean
}

/** What a document says about an answer that it does not describe; nothing if the answer is as described. */
export type CheckAnswer = (answer: Answer) => string | undefined

const NO_BODY = [204, 304]
const MOST_REASONS = 3

export function answerChecker(document: OpenApiDocument): CheckAnswer {
  const operationOf = operationFinder(document)
  const check = schemaChecker(document)
  return (answer) => {
    const operation = operationOf(answer.method, answer.url)
    const reply = operation ? replyOf(operation, answer.status, document) : refusal(answer, document)
    if (!reply) return said(answer, 'this status is not documented')
    const fault = faultOf(answer, reply, check)
    return fault && said(answer, fault)
  }
}

function said({ method, url, status, contentType, body }: Answer, fault: string): string {
  return `${method} ${url.slice(0, 100)} → ${status} ${contentType}: ${fault}\n    ${body.slice(0, 300)}`
}

function replyOf(operation: Operation, status: number, { components }: OpenApiDocument): Reply | undefined {
  const reply = operation.responses[status]
  return reply && '$ref' in reply ? components.responses[reply.$ref.split('/').at(-1)!] : reply
}

/** What is no operation (an unknown path, another method) is refused, with the body of every error. */
function refusal({ method, status, url }: Answer, { components, paths }: OpenApiDocument): Reply | undefined {
  if (method === 'OPTIONS' && status === 204) return { description: 'The answer to a preflight of a browser.' }
  const isGoogles =
    /^\/(?:v3\/(?:upload\/)?v1beta|uploads)\//.test(documentedUrl(url)) && 'GeminiError' in components.schemas
  const name = isGoogles ? 'GeminiError' : 'ErrorBody'
  const schema = { $ref: `#/components/schemas/${name}` }
  // A browser gets the page of the console at an address that the admin listener does not have.
  const page = status === 404 && '/admin/me' in paths && { 'text/html': {} }
  return status >= 400 ? { description: 'An error.', content: { 'application/json': { schema }, ...page } } : undefined
}

function faultOf({ method, status, contentType, body, isWhole }: Answer, reply: Reply, check: SchemaCheck) {
  const type = contentType?.split(';', 1)[0]
  const content =
    type === undefined ? undefined : (reply.content?.[type] ?? reply.content?.[anyOf(type)] ?? reply.content?.['*/*'])
  if (!content)
    return reply.content || body !== '' ? unlessEmpty(status, body, 'this content type is not documented') : undefined
  if (method === 'HEAD' || !content.schema) return undefined
  if (type === 'text/event-stream') return firstOf(eventsIn(body), (event) => check(content.schema!, event))
  if (type !== 'application/json' || !isWhole) return undefined
  return check(content.schema, JSON.parse(body))
}

/** `audio/pcm` is one of `audio/*`. */
function anyOf(type: string): string {
  return type.replace(/\/.*/, '/*')
}

function unlessEmpty(status: number, body: string, fault: string): string | undefined {
  return NO_BODY.includes(status) && body === '' ? undefined : fault
}

function firstOf<Item>(items: readonly Item[], find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found) return `${found} in the event ${JSON.stringify(item).slice(0, 300)}`
  }
  return undefined
}

type SchemaCheck = (schema: Schema, value: unknown) => string | undefined

/** Compiles every schema once, when the first answer needs it. */
function schemaChecker({ components: { schemas } }: OpenApiDocument): SchemaCheck {
  const compiled = new Map<Schema, { check(value: unknown): boolean; root: object }>()
  return (schema, value) => {
    const known = compiled.get(schema) ?? compile({ ...schema, components: { schemas: referredTo(schema, schemas) } })
    compiled.set(schema, known)
    return known.check(value) ? undefined : reasons(known.root, value)
  }
}

type Schemas = OpenApiDocument['components']['schemas']
const REFERENCE = /"\$ref":"#\/components\/schemas\/([^"]+)"/g

/** The schemas that one refers to, directly or through others: typebox looks through everything that it gets. */
function referredTo(schema: Schema, all: Schemas, found: Schemas = {}): Schemas {
  for (const [, name] of JSON.stringify(schema).matchAll(REFERENCE)) {
    if (Object.hasOwn(found, name!)) continue
    found[name!] = all[name!]!
    referredTo(all[name!]!, all, found)
  }
  return found
}

function compile(root: object) {
  const evaluated = Build(root).Evaluate()
  return { root, check: (value: unknown) => evaluated.Check(value) }
}

function reasons(root: object, value: unknown): string {
  const [, errors] = Errors(root, value)
  const texts = errors.slice(0, MOST_REASONS).map(({ instancePath, message }) => `${instancePath} ${message}`)
  return `the body is not as documented: ${texts.join('; ')}`
}
