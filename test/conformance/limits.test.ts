import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Operation, Parameter, Schema } from '../../src/contract/openapi/document.ts'
import { resolve } from '../../src/contract/openapi/read-document.ts'
import { API_ROUTES } from '../../src/http/routes/api-routes.ts'
import { openapiDocument } from '../../src/http/openapi/document.ts'
import { EXAMPLES_IN_PATHS } from '../../src/http/openapi/examples.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { keyForPath, managementKeys } from '../gateway/management-keys.ts'
import { sample } from '../soak/sample.ts'

// What the document says about headers, queries and bodies is what the gateway holds requests to.

const document = openapiDocument(API_ROUTES)
/** One of so many fields of bodies is tried. */
const STEP = sample(7, 1)

type Sent = { query?: string; headers?: Record<string, string>; body?: unknown }

describe('a request that the document does not allow', () => {
  let gateway: GatewayUnderTest
  let folder: string
  let managing: Awaited<ReturnType<typeof managementKeys>>
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-limits-'))
    const config = join(folder, 'config.json')
    // No message of this test leads to the server.
    const mcp = { oauth: true, servers: { [EXAMPLES_IN_PATHS.server_name!]: { url: 'https://mcp.example/mcp' } } }
    await writeFile(config, JSON.stringify({ agents: { signIn: true }, manage: { enabled: true }, mcp }))
    gateway = await startGateway({ env: { GATEHOUSE_CONFIG: config } })
    managing = await managementKeys(gateway.adminUrl)
  })
  after(async () => {
    await gateway?.close()
    await rm(folder, { recursive: true })
  })

  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const { parameters = [], requestBody } = operation
      const wrongHeaders = parameters.filter((one) => one.in === 'header').map(wrongHeader)
      const wrongQueries = parameters.filter((one) => one.in === 'query').flatMap(wrongQuery)
      // The gateway writes into telemetry whose it is. What else is in it is for the collector to judge.
      const isTelemetry = /^\/v3\/claude\/v1\/(?:metrics|logs|traces)$/.test(path)
      const { schema, example } = (isTelemetry ? undefined : requestBody?.content['application/json']) ?? {}
      const wrongBodies = schema ? wrongFields(schema, example).filter((_, at) => at % STEP === 0) : []
      const wrong = [...wrongHeaders, ...wrongQueries, ...wrongBodies]
      if (wrong.length === 0) continue
      test(`${method.toUpperCase()} ${path}: ${wrong.length} of them are refused`, async () => {
        const statuses = await Promise.all(wrong.map((sent) => ask(method, path, operation, sent)))
        // A link with another signature leads nowhere.
        const refusals = /^\/(?:results|uploads)\//.test(path) ? [404] : [400, 422]
        const accepted = wrong.filter((_, at) => !refusals.includes(statuses[at]!))
        assert.deepEqual(
          accepted.map((sent) => JSON.stringify(sent).slice(0, 200)),
          [],
        )
      })
    }

  async function ask(method: string, path: string, { parameters = [], requestBody }: Operation, sent: Sent) {
    const named = (name: string) => String(parameters.find((one) => one.name === name)?.example ?? 'x')
    const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(named(name)))
    const example = requestBody?.content['application/json']?.example
    const body = sent.body ?? example
    const reply = await fetch(`${gateway.url}${place}${sent.query ?? ''}`, {
      method: method.toUpperCase(),
      headers: {
        authorization: `Bearer ${path.startsWith('/v3/manage/') ? keyForPath(path, managing) : API_KEY}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...sent.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    await reply.arrayBuffer()
    return reply.status
  }
})

function wrongHeader({ name }: Parameter): Sent {
  return { headers: { [name]: 'neither a word nor a pair' } }
}

function wrongQuery({ name, schema }: Parameter): Sent[] {
  return wrongValues(resolve(schema, document), true).map((value) => {
    return { query: `?${name}=${encodeURIComponent(String(value))}` }
  })
}

/** Bodies of which one field is wrong. */
function wrongFields(schema: Schema, example: unknown): Sent[] {
  const { properties = {} } = resolve(schema, document)
  return Object.entries(properties).flatMap(([name, field]) =>
    wrongValues(resolve(field, document)).map((value) => ({ body: { ...(example as object), [name]: value } })),
  )
}

function wrongValues(schema: Schema, isText = false): unknown[] {
  const { type, minimum, maximum, minLength, maxLength, minItems, maxItems, items } = schema
  const others = { string: isText ? [] : [5], integer: ['x', 1.5], number: ['x'], boolean: ['maybe'], object: ['x'] }
  const isRow = type === 'array' && items !== undefined
  return [
    ...(others[type as keyof typeof others] ?? []),
    ...(schema.enum ? ['none of them'] : []),
    ...(schema.format === 'uuid' ? ['x'] : []),
    ...(typeof minimum === 'number' ? [minimum - 1] : []),
    ...(typeof maximum === 'number' ? [maximum + 1] : []),
    ...(typeof minLength === 'number' ? [''] : []),
    ...(typeof maxLength === 'number' ? ['😀'.repeat(maxLength + 1)] : []),
    ...(isRow && !isText ? ['x'] : []),
    ...(isRow && isText && items.enum ? ['none of them'] : []),
    ...(typeof minItems === 'number' && !isText ? [[]] : []),
    ...(typeof maxItems === 'number' && !isText ? [Array.from({ length: maxItems + 1 }, () => 'a/b')] : []),
  ]
}
