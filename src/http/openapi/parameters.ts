import Type, { type TSchema } from '../../base/schema/type.ts'
import type { Route } from '../route.ts'
import { PATH_IDS } from '../paths/path-ids.ts'
import { MAX_CHARS } from '../query.ts'
import { namesModel } from './errors.ts'
import { EXAMPLES_BY_PATH, EXAMPLES_IN_PATHS } from './examples.ts'
import { printSchema } from './print-schema.ts'
import type { Parameter, Schema, Schemas } from '../../contract/openapi/document.ts'

const TEXT = Type.String()
const METADATA: Parameter = {
  name: 'x-gatehouse-metadata',
  in: 'header',
  required: false,
  description: 'Adds a `gatehouse` object to the answer: attempts, notes on translated fields, hooks, timings.',
  schema: { type: 'string', enum: ['enabled'] },
}

const TAGS: Parameter = {
  name: 'x-gatehouse-tags',
  in: 'header',
  required: false,
  description: 'Up to 16 tags of this call for usage reports and limits, such as `team=search,env=prod`.',
  schema: { type: 'string' },
}

/** Descriptions of other path parameters than `PATH_IDS`. */
const IN_PATHS: Readonly<Record<string, string>> = {
  file: 'The part of the name of a file behind `files/`.',
  upload: 'From the address that the start of the upload has returned.',
  batch: 'The part of the name of a batch behind `batches/`.',
  message_batch_id: 'The `id` of a batch of messages.',
  asset: 'The name of a file that a page of the console names.',
  agent_session: 'The `id` of a session of an agent.',
  call_id: 'The `id` of a call in the request log.',
  conversation_item_id: 'The `id` of an item of the conversation.',
  end_user: 'What requests named the end user.',
  feature: 'The first part of a model string, such as `text`.',
  item_id: 'One of the `item_ids` that were returned when the item was added.',
  name: 'The `name` of a provider in the config file.',
  organization: 'The `id` of an organization.',
  guardrail_id: 'The `id` of a guardrail.',
  limit_id: 'The `id` of a budget or rate limit.',
  project: 'The `id` of a project.',
  provider: 'A provider of the task, such as `tavily`.',
  video_id: 'The `id` of a video.',
  character_id: 'Any text: there are no characters.',
  email: 'The e-mail address of a member.',
  server_name: 'The name of an MCP server that the operator has configured.',
  subfeature: 'The second part of a model string, such as `moderation`.',
}

export function parametersOf(route: Route, schemas: Schemas): Parameter[] {
  const { path, greedy, routedAs, query } = route
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const inPath = names.map((name) => {
    const { description = greedy || routedAs ? 'May contain slashes, plain or encoded.' : IN_PATHS[name], ...schema } =
      printSchema(PATH_IDS[name] ?? TEXT, schemas)
    return {
      name,
      in: 'path',
      required: true,
      description,
      schema,
      example: EXAMPLES_BY_PATH[path] ?? EXAMPLES_IN_PATHS[name],
    }
  })
  const headers = [...(takesMetadata(route) ? [METADATA] : []), ...(spends(route) ? [TAGS] : [])]
  return [...inPath, ...queryParameters(query, schemas), ...headers]
}

/** The answer to a batch is not that of a call. */
function takesMetadata(route: Route): boolean {
  const { body, scope, stores } = route
  return body !== undefined && !stores && (scope === 'chat' || scope === 'images') && namesModel(route)
}

/** Whether calls of a route get a line in the ledger. */
function spends(route: Route): boolean {
  const { body, form, scope } = route
  if ((body ?? form) === undefined) return false
  return scope === 'universal' || ((scope === 'chat' || scope === 'images') && namesModel(route))
}

function queryParameters(query: TSchema | undefined, schemas: Schemas): Parameter[] {
  const { properties = {}, required = [] } = (query ?? {}) as Schema
  return Object.entries(properties).map(([name, property]) => {
    const { description = property.description, ...schema } = printSchema(property, schemas)
    return { name, in: 'query', required: required.includes(name), description, schema: withLength(schema) }
  })
}

/** A text has a limit, named or not. */
function withLength(schema: Schema): Schema {
  const isText = schema.type === 'string' && !schema.enum && !schema.format
  return isText ? { maxLength: MAX_CHARS, ...schema } : schema
}
