import type { TSchema } from '../../contract/type.ts'
import type { Route } from '../route.ts'
import { printSchema } from './print-schema.ts'
import type { Parameter, Schema, Schemas } from './shape.ts'

const METADATA: Parameter = {
  name: 'x-gatehouse-metadata',
  in: 'header',
  required: false,
  description: 'Adds a `gatehouse` object to the answer: attempts, notes on translated fields, hooks, timings.',
  schema: { enum: ['enabled'] },
}

export function parametersOf({ path, greedy, query, scope }: Route, schemas: Schemas): Parameter[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const description = greedy ? 'May hold slashes, as they are or encoded.' : undefined
  const inPath = names.map((name) => ({ name, in: 'path', required: true, description, schema: { type: 'string' } }))
  return [...inPath, ...queryParameters(query, schemas), ...(scope === 'chat' ? [METADATA] : [])]
}

function queryParameters(query: TSchema | undefined, schemas: Schemas): Parameter[] {
  const { properties = {}, required = [] } = (query ?? {}) as Schema
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = printSchema(property, schemas)
    return { name, in: 'query', required: required.includes(name), description, schema }
  })
}
