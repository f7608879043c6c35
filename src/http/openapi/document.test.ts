import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Build } from 'typebox/schema'
import Type, { type TSchema } from '../../base/schema/type.ts'
import { validator } from '../../base/schema/validator.ts'
import { WebhookPayload } from '../../contract/webhook.ts'
import { API_ROUTES } from '../routes/api-routes.ts'
import { ADMIN_ROUTES } from '../routes/admin-routes.ts'
import type { Route } from '../route.ts'
import { webhooksOf } from '../../contract/openapi/read-document.ts'
import { openapiDocument } from './document.ts'
import type { Reply, Schema } from '../../contract/openapi/document.ts'
import {
  plain,
  assertErrorExamples,
  operations,
  operationOf,
  everything,
  schemasIn,
  isSchema,
  mapsInUnions,
  lookUp,
  resolve,
  inlined,
  comparable,
  asJson,
} from './fixtures/document-parts.ts'

const CHAT_FIELDS = [
  ...['model', 'messages', 'fallbacks', 'router_candidates', 'pre_hooks', 'post_hooks', 'n', 'reasoning_effort'],
  ...['metadata', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'logprobs', 'top_logprobs', 'max_tokens'],
  ...['max_completion_tokens', 'modalities', 'prediction', 'audio', 'response_format', 'seed', 'service_tier', 'stop'],
  ...['session_id', 'cache_marks'],
  ...['stream', 'stream_options', 'temperature', 'top_p', 'tools', 'tool_choice', 'parallel_tool_calls', 'user'],
  ...['function_call', 'functions', 'thinking', 'web_search_options', 'verbosity', 'extra_body', 'image_config'],
  'extra_headers',
  // Not part of the specification: options of the router.
  'routing',
]

const HOSTS: [string, readonly Route[]][] = [
  ['API', API_ROUTES],
  ['admin', ADMIN_ROUTES],
]

for (const [name, routes] of HOSTS) {
  const document = asJson(openapiDocument(routes))

  test(`${name}: the head is that of OpenAPI 3.1`, () => {
    assert.match(document.openapi, /^3\.1\.\d$/)
    assert.equal(document.info.title, 'Gatehouse')
    assert.equal(document.info.version, '3.0.0')
  })

  test(`${name}: an object in a union has members that are known, because Java has no class for it otherwise`, () => {
    assert.deepEqual(mapsInUnions(document), [])
  })

  test(`${name}: every route is there once, and nothing else`, () => {
    const printed = operations(document).map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(printed.sort(), routes.map(({ method, path }) => `${method} ${path}`).sort())
    const ids = operations(document).map(({ operation }) => operation.operationId)
    assert.deepEqual(ids, [...new Set(ids)])
  })

  test(`${name}: every operation has what OpenAPI asks of it`, () => {
    const tags = document.tags.map(({ name }) => name)
    for (const { operation } of operations(document)) {
      assert.ok(operation.summary)
      assert.ok(operation.tags.length === 1 && tags.includes(operation.tags[0]!))
      assert.ok(Object.keys(operation.responses).length > 0)
      for (const [status, reply] of Object.entries(operation.responses)) {
        assert.match(status, /^[1-5]\d\d$/)
        assert.ok(resolve(reply as Reply & { $ref?: string }, document).description)
      }
    }
  })

  test(`${name}: the parameters of a path are declared, and no others`, () => {
    for (const { path, operation } of operations(document)) {
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      assert.deepEqual(
        declared.map(({ name }) => name),
        inPath,
      )
      assert.ok(declared.every(({ required }) => required))
    }
  })

  test(`${name}: every parameter and every field says what it is`, () => {
    const parameters = operations(document).flatMap(({ operation }) => operation.parameters ?? [])
    const fields = everything(document).flatMap(({ key, value }) =>
      key === 'properties' && !isSchema(value) ? Object.entries(value as Record<string, Schema>) : [],
    )
    const mute = [
      ...parameters.filter(({ description }) => !description).map(({ name }) => name),
      ...fields.filter(([, { description, $ref, const: only }]) => !description && !$ref && only === undefined),
    ]
    assert.deepEqual(mute, [])
  })

  test(`${name}: every reference leads somewhere, and every component is referred to`, () => {
    const references = new Set(
      everything(document).flatMap(({ key, value }) => (key === '$ref' ? [String(value)] : [])),
    )
    for (const reference of references) assert.ok(lookUp(reference, document), reference)
    for (const section of ['schemas', 'responses'] as const)
      for (const component of Object.keys(document.components[section]))
        assert.ok(references.has(`#/components/${section}/${component}`), component)
  })

  test(`${name}: a named schema is written down once`, () => {
    for (const [title, schema] of Object.entries(document.components.schemas)) {
      assert.match(title, /^[A-Za-z0-9._-]+$/)
      assert.equal(schema.title, title)
    }
    const titled = schemasIn(document).filter(({ title }) => title !== undefined)
    assert.equal(titled.length, Object.keys(document.components.schemas).length)
  })

  test(`${name}: nothing of typebox leaks`, () => {
    assert.deepEqual(
      everything(openapiDocument(routes)).filter(({ key }) => key.startsWith('~')),
      [],
    )
  })

  test(`${name}: a printed body is the schema that requests are checked by, and takes its example`, () => {
    for (const route of routes.filter(({ body }) => body)) {
      const { schema, example } = operationOf(route, document).requestBody!.content['application/json']!
      assert.deepEqual(comparable(inlined(schema!, document)), comparable(asJson(route.body)))
      if (example !== undefined) assert.deepEqual(validator(route.body!).issues(example, []), [])
    }
  })

  test(`${name}: the example of a form fits its schema`, () => {
    for (const route of routes.filter(({ form }) => form)) {
      const type = route.isUrlForm ? 'application/x-www-form-urlencoded' : 'multipart/form-data'
      const { example } = operationOf(route, document).requestBody!.content[type]!
      assert.ok(Build(route.form!).Evaluate().Check(example), route.path)
    }
  })

  test(`${name}: security is stated where the route needs a key`, () => {
    for (const route of routes) {
      const { security, responses } = operationOf(route, document)
      const keys = [{ bearer: [] }, { 'x-api-key': [] }]
      const expected = { open: [], key: keys, manage: keys, admin: [...keys, { session: [] }] }
      assert.deepEqual(security, expected[route.access])
      assert.equal('401' in responses, route.access !== 'open' || 401 in route.replies)
    }
  })
}

test('every operation of the admin listener names its permission, and only there is a session a way in', () => {
  const document = asJson(openapiDocument(ADMIN_ROUTES))
  assert.deepEqual(
    [document.components.securitySchemes.session?.in, document.components.securitySchemes.session?.name],
    ['cookie', '__Host-gatehouse'],
  )
  for (const route of ADMIN_ROUTES) {
    const operation = operationOf(route, document)
    assert.equal(operation['x-permission'], route.access === 'admin' ? route.permission : undefined, route.path)
    if (route.access === 'admin' && route.permission !== 'self')
      assert.ok(operation.description!.endsWith(`Needs the permission \`${route.permission}\`.`), route.path)
  }
  assert.deepEqual(Object.keys(openapiDocument(API_ROUTES).components.securitySchemes), ['bearer', 'x-api-key'])
})

const api = asJson(openapiDocument(API_ROUTES))

test('the chat request has every field of the specification', () => {
  assert.deepEqual(Object.keys(api.components.schemas.ChatRequest!.properties!).sort(), CHAT_FIELDS.sort())
  assert.deepEqual(api.components.schemas.ChatRequest!.required, ['model', 'messages'])
})

test('the chat examples can be pasted: the request and the answer pass the contract', () => {
  const route = API_ROUTES.find(({ path }) => path === '/v3/chat/completions')!
  const { requestBody, responses } = operationOf(route, api)
  const { example } = requestBody!.content['application/json']!
  assert.equal((example as { model: string }).model, 'sandbox/echo')
  assert.ok(validator(route.body!).check(example))
  const answer = (responses[200] as Reply).content!
  assert.deepEqual(validator(route.replies[200]!.schema!).issues(answer['application/json']!.example, []), [])
  assert.deepEqual(answer['text/event-stream'], { schema: { $ref: '#/components/schemas/ChatEvent' } })
})

test('a key route can answer the standard errors, each with the words of the table', () => {
  const { responses } = api.paths['/v3/chat/completions']!.post!
  for (const status of [400, 401, 403, 404, 413, 415, 422, 424, 429, 451, 502, 503, 504]) assert.ok(responses[status])
  const listing = api.paths['/v3/models']!.get!.responses
  assert.deepEqual(Object.keys(listing), ['200', '304', '400', '401', '403', '422', '429', '503'])
  for (const reply of Object.values(api.components.responses)) assertErrorExamples(reply)
})

test('a property called title is a field and not a name', () => {
  const body = Type.Object({ title: Type.String(), items: Type.Array(Type.Object({ properties: Type.String() })) })
  const document = openapiDocument([{ ...plain, method: 'POST', body }])
  assert.deepEqual(
    inlined(operations(document)[0]!.operation.requestBody!.content['application/json']!.schema!, document),
    asJson(body),
  )
  assert.deepEqual(Object.keys(document.components.schemas).sort(), [
    'ErrorBody',
    'ValidationErrorBody',
    'ValidationFault',
  ])
})

test('two schemas of one name are refused', () => {
  const reply = (schema: TSchema) => ({ 200: { description: 'It.', schema: Type.Object({ it: schema }) } })
  const first = { ...plain, replies: reply(Type.String({ title: 'Same' })) }
  const second = { ...plain, path: '/other', replies: reply(Type.Integer({ title: 'Same' })) }
  assert.throws(() => openapiDocument([first, second]), /Two schemas are called Same/)
  assert.doesNotThrow(() => openapiDocument([first, { ...first, path: '/other' }]))
})

test('webhooks are described where jobs are accepted, and nowhere else', () => {
  const { schema } = webhooksOf(api.paths).async_job_completed!.post!.requestBody!.content['application/json']!
  assert.deepEqual(schema, { $ref: '#/components/schemas/WebhookPayload' })
  assert.deepEqual(comparable(inlined(schema!, api)), comparable(asJson(WebhookPayload)))
  assert.ok(webhooksOf(openapiDocument(ADMIN_ROUTES).paths).async_job_completed, 'the playground accepts jobs')
  const admin = openapiDocument(ADMIN_ROUTES.filter(({ path }) => !path.startsWith('/admin/playground/')))
  assert.deepEqual(webhooksOf(admin.paths), {})
  assert.equal('WebhookPayload' in admin.components.schemas, false)
})
