import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BEHAVIOURS, ENDPOINTS, ERRORS, FIELDS, HEADERS, PARAMETERS, TASK_PROVIDERS } from '../docs/eden-rows.ts'
import { edenTables } from '../docs/eden-tables.ts'
import { isRecord, recordOf } from '../src/base/schema/record.ts'
import { PROBLEMS } from '../src/contract/problems.ts'
import { providersOf } from '../src/translation/tasks/adapters.ts'
import { findFeature } from '../src/translation/tasks/index.ts'
import { API_ROUTES } from '../src/http/routes/api-routes.ts'

// The tables of docs/migration.md about the hosted original are what the routes, schemas and errors are today.

const ROOT = join(import.meta.dirname, '..')
const ALL = [...ENDPOINTS, ...FIELDS, ...PARAMETERS, ...HEADERS, ...ERRORS, ...BEHAVIOURS, ...TASK_PROVIDERS]
const routes = new Set(API_ROUTES.map(({ method, path }) => `${method} ${path}`))

test('an endpoint is here if its row says so', () => {
  for (const { name, outcome } of ENDPOINTS) assert.equal(routes.has(name), outcome !== 'not here', name)
})

test('every route with the names of the original has a row', () => {
  const own =
    /^(?:GET|POST|PATCH|DELETE) \/v3\/(?:universal-ai|upload|info|search|videos|moderations|embeddings|manage)(?=\/|$)/
  const rows = new Set(ENDPOINTS.map(({ name }) => name))
  const ours = [
    '/v3/upload/{file_id}',
    '/v3/upload/v1beta',
    '/v3/videos/{video_id}/remix',
    '/v3/videos/edits',
    '/v3/videos/extensions',
    '/v3/videos/characters',
  ]
  for (const name of routes)
    if (own.test(name) && !ours.some((path) => name.includes(path))) assert.ok(rows.has(name), name)
})

test('a field is in its schema if its row says so', () => {
  const schemas = schemasOf(API_ROUTES)
  for (const { on, name, outcome, proof } of FIELDS) {
    const fields = schemas.get(on)
    assert.ok(fields, on)
    if (proof) assertNamedIn(proof, name)
    else assert.equal(Object.hasOwn(fields, name), outcome !== 'not here', `${on} ${name}`)
  }
})

test('every field at /v3/manage, /v3/search and /v3/videos has a row, or is known to be only ours', () => {
  const ours: Readonly<Record<string, readonly string[]>> = {
    SearchRequest: ['user', 'metadata'],
    VideoRequest: ['user', 'metadata'],
    Video: ['prompt'],
    ManagedKey: ['project'],
    CreateAuthKeyRequest: ['expire_time'],
    ManagementIdentity: ['organization', 'expire_time'],
  }
  const rows = Map.groupBy(FIELDS, ({ on }) => on)
  const schemas = schemasOf(API_ROUTES)
  const titles = [...rows.keys()].filter((title) =>
    /^(?:Search|Video|Create|Managed|Management|Rotated|.*Usage$)/.test(title),
  )
  for (const title of titles)
    for (const name of Object.keys(schemas.get(title)!))
      assert.ok(rows.get(title)!.some((row) => row.name === name) || ours[title]?.includes(name), `${title} ${name}`)
  assert.ok(titles.length > 9)
})

test('a parameter of a query is in its route if its row says so, and the reports at /v3/manage have no others', () => {
  const parameters = new Map(
    API_ROUTES.map(({ method, path, query }) => [
      `${method} ${path}`,
      Object.keys(recordOf(recordOf(query).properties)),
    ]),
  )
  for (const { name, outcome } of PARAMETERS) {
    const [endpoint = '', parameter = ''] = name.split('?')
    assert.equal(parameters.get(endpoint)?.includes(parameter), outcome !== 'not here', name)
  }
  for (const endpoint of ['GET /v3/manage/usage', 'GET /v3/manage/keys/{id}/usage'])
    for (const parameter of parameters.get(endpoint)!)
      assert.ok(
        PARAMETERS.some(({ name }) => name === `${endpoint}?${parameter}`),
        `${endpoint} ${parameter}`,
      )
})

test('a header is in the test that its row names', () => {
  for (const { name, proof } of HEADERS) assertNamedIn(proof, name)
})

test('a behaviour that is here has a test', () => {
  for (const { name, outcome, proof } of BEHAVIOURS) {
    assert.equal(proof === undefined, outcome === 'not here', name)
    if (proof) assert.ok(existsSync(join(ROOT, proof)), proof)
  }
})

function assertNamedIn(proof: string, name: string): void {
  assert.ok(existsSync(join(ROOT, proof)), proof)
  assert.ok(new RegExp(`\\b${name}\\b`, 'i').test(readFileSync(join(ROOT, proof), 'utf8')), `${proof} ${name}`)
}

test('an error has its status', () => {
  for (const { name, code } of ERRORS) {
    if (code === undefined) continue
    assert.equal(String(PROBLEMS[code as keyof typeof PROBLEMS].status), name, code)
  }
})

test('a provider of a task that is not here has no adapter', () => {
  for (const { name, outcome } of TASK_PROVIDERS) {
    const [feature = '', subfeature = '', provider = ''] = name.split('/')
    const task = findFeature(feature, subfeature)
    assert.ok(task, name)
    if (outcome === 'not here') assert.ok(!providersOf(task).includes(provider), name)
  }
})

test('what is not the same says how or why', () => {
  for (const { name, outcome, how } of ALL) assert.ok(outcome === 'same' || how, name)
})

test('docs/migration.md has the tables, once', () => {
  assert.ok(readFileSync(join(ROOT, 'docs/migration.md'), 'utf8').endsWith(`\n${edenTables()}`))
})

/** The fields of every schema that a route names, by title. */
function schemasOf(value: unknown, found = new Map<string, object>(), seen = new Set<unknown>()): Map<string, object> {
  if ((!isRecord(value) && !Array.isArray(value)) || seen.has(value)) return found
  seen.add(value)
  const { title, properties } = recordOf(value)
  if (typeof title === 'string' && isRecord(properties)) found.set(title, { ...found.get(title), ...properties })
  for (const inner of Object.values(value)) schemasOf(inner, found, seen)
  return found
}
