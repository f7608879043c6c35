import type { TSchema } from '../../schema/type.ts'
import type { Route } from '../services.ts'
import { printSchema } from './print-schema.ts'
import type { Parameter, Schema, Schemas } from './shape.ts'

const METADATA: Parameter = {
  name: 'x-gatehouse-metadata',
  in: 'header',
  required: false,
  description: 'Adds a `gatehouse` object to the answer: attempts, notes on translated fields, hooks, timings.',
  schema: { type: 'string', enum: ['enabled'] },
}

/** Descriptions of path parameters, by name. */
const IN_PATHS: Readonly<Record<string, string>> = {
  collection_id: 'The id of the collection.',
  feature: 'The first part of a model string, such as `text`.',
  file_id: 'The id that the upload returned.',
  id: 'The id from a list or a link.',
  item_id: 'One of the `item_ids` that were returned when the item was added.',
  job_id: 'The id that was returned when the job was submitted.',
  response_id: 'The `id` of a stored response.',
  subfeature: 'The second part of a model string, such as `moderation`.',
}

/** The same format as in bodies. Other ids are opaque. */
const UUIDS = ['collection_id', 'file_id', 'job_id']

export function parametersOf({ path, greedy, query, scope }: Route, schemas: Schemas): Parameter[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const inPath = names.map((name) => {
    const description = greedy ? 'May contain slashes, plain or encoded.' : IN_PATHS[name]
    return { name, in: 'path', required: true, description, schema: schemaOf(name) }
  })
  return [...inPath, ...queryParameters(query, schemas), ...(scope === 'chat' ? [METADATA] : [])]
}

function schemaOf(name: string): Schema {
  return { type: 'string', ...(UUIDS.includes(name) && { format: 'uuid' }) }
}

function queryParameters(query: TSchema | undefined, schemas: Schemas): Parameter[] {
  const { properties = {}, required = [] } = (query ?? {}) as Schema
  return Object.entries(properties).map(([name, property]) => {
    const { description = property.description, ...schema } = printSchema(property, schemas)
    return { name, in: 'query', required: required.includes(name), description, schema }
  })
}
