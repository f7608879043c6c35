import assert from 'node:assert/strict'
import { test } from 'node:test'
import { USAGE_GROUPS } from '../../contract/admin/usage.ts'
import Type from '../../base/schema/type.ts'
import { pageIn } from '../admin/paging.ts'
import { queryReader, readTime } from '../query.ts'
import { list } from '../routes/admin/keys.ts'
import { report as usage } from '../routes/admin/usage.ts'
import { live } from '../routes/health.ts'
import { openapiDocument } from './document.ts'
import { parametersOf } from './parameters.ts'
import type { Parameter } from '../../contract/openapi/document.ts'

test('query parameters come from the schema of the query', () => {
  const query = Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, description: 'How many.' })),
    purpose: Type.String(),
  })
  const { parameters, responses } = openapiDocument([{ ...live, query }]).paths[live.path]!.get!
  assert.deepEqual(JSON.parse(JSON.stringify(parameters)), [
    { name: 'limit', in: 'query', required: false, description: 'How many.', schema: { type: 'integer', minimum: 1 } },
    { name: 'purpose', in: 'query', required: true, schema: { type: 'string', maxLength: 300 } },
  ])
  assert.ok(responses[422])
})

// Query parameters are described by a schema but read by query.ts. These tests check that the two agree.

test('the printed limits of a page are those that are held', () => {
  const { minimum, maximum, default: fallback } = byName(parametersOf(list, {})).limit!.schema
  const read = queryReader(list.query!)
  assert.equal(pageIn(read({})).limit, fallback)
  for (const limit of [minimum, maximum]) assert.equal(read({ limit: String(limit) }).limit, limit)
  for (const limit of [Number(minimum) - 1, Number(maximum) + 1]) assert.throws(() => read({ limit: String(limit) }))
})

test('the printed examples of a moment can be read, and all groups of a usage report are printed', () => {
  const { from, to, group_by: group } = byName(parametersOf(usage, {}))
  for (const { name, schema } of [from!, to!])
    for (const example of schema.examples as string[]) assert.ok(readTime(name, example) > 0)
  for (const word of USAGE_GROUPS) assert.ok(group!.description!.includes(word))
  assert.equal(group!.schema.default, 'model')
})

function byName(parameters: Parameter[]): Record<string, Parameter> {
  return Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter]))
}
