import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Build } from 'typebox/schema'
import { chatIssues } from '../../contract/chat-rules.ts'
import { ImageReference } from '../../contract/images.ts'
import { TranscriptionRequest } from '../../contract/audio.ts'
import { POST_HOOKS, PRE_HOOKS } from '../../translation/hooks/index.ts'
import { API_ROUTES } from '../routes/api-routes.ts'
import { ADMIN_ROUTES } from '../routes/admin-routes.ts'
import { openapiDocument } from './document.ts'
import { portable } from './portable.ts'
import type { OpenApiDocument, Schema } from '../../contract/openapi/document.ts'

const api = openapiDocument(API_ROUTES)
const documents: [string, OpenApiDocument][] = [
  ['API', api],
  ['admin', openapiDocument(ADMIN_ROUTES)],
]

for (const [name, document] of documents) {
  test(`${name}: an object without listed fields says that it takes any`, () => {
    const closed = schemasIn(document).filter(({ schema }) => isObject(schema) && !('properties' in schema))
    assert.deepEqual(
      closed.filter(({ schema }) => schema.additionalProperties === undefined).map(({ place }) => place),
      [],
    )
  })

  test(`${name}: no field has a default, which would make it required in generated types`, () => {
    const fields = schemasIn(document).filter(({ place }) => /\/properties\/[^/]+$/.test(place))
    assert.deepEqual(
      fields.filter(({ schema }) => 'default' in schema).map(({ place }) => place),
      [],
    )
  })

  test(`${name}: no union of files, no choice between required fields, no nameless form`, () => {
    const schemas = schemasIn(document)
    assert.deepEqual(
      schemas.filter(({ schema }) => 'oneOf' in schema).map(({ place }) => place),
      [],
    )
    const isFile = (part: Schema) => part.format === 'binary'
    assert.deepEqual(
      schemas.filter(({ schema }) => schema.anyOf?.some(isFile)).map(({ place }) => place),
      [],
    )
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    for (const { operationId, requestBody } of operations)
      for (const { schema } of Object.values(requestBody?.content ?? {})) assert.ok(schema?.$ref, operationId)
  })

  test(`${name}: in a union, objects and lists of objects have names`, () => {
    const unions = schemasIn(document).filter(({ schema }) => (schema.anyOf?.length ?? 0) > 2)
    const nameless = unions.filter(({ schema }) =>
      schema.anyOf!.some((part) => isObject(part) || (part.items && isObject(part.items))),
    )
    assert.deepEqual(
      nameless.map(({ place }) => place),
      [],
    )
  })

  test(`${name}: every answer with a body says what is in it`, () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    for (const { operationId, responses } of operations)
      for (const reply of Object.values(responses))
        for (const [type, { schema }] of Object.entries('content' in reply ? reply.content! : {}))
          assert.ok(schema && Object.keys(schema).length > 0, `${operationId} ${type}`)
  })
}

test('no schema has the same name in two spellings, and a list of objects is not also an object', () => {
  const { GenerateContentRequest, GenerationConfig } = api.components.schemas
  assert.ok(GenerationConfig!.properties!.topP && !GenerationConfig!.properties!.top_p)
  assert.equal(GenerateContentRequest!.properties!.contents!.type, 'array')
  for (const [, document] of documents)
    for (const { schema, place } of schemasIn(document)) {
      const names = Object.keys(schema.properties ?? {}).map((name) => name.replaceAll('_', '').toLowerCase())
      assert.equal(new Set(names).size, names.length, place)
      assert.ok(schema.type !== 'null' || /anyOf/.test(place), `${place}: nothing but null`)
    }
})

test('a choice of two keys accepts the same values in both forms', () => {
  const bodies = [{}, { file_id: 'a' }, { image_url: 'https://a' }, { file_url: 'b' }]
  const all = [...bodies, { file_id: 'a', image_url: 'https://a' }, { file_id: 'a', file_url: 'b' }]
  for (const [contract, fields] of [
    [ImageReference, {}],
    [TranscriptionRequest, { model: 'm' }],
  ] as const) {
    const [ours, printed] = [Build(contract).Evaluate(), Build(portable(contract as unknown as Schema)).Evaluate()]
    const verdicts = all.map((body) => printed.Check({ ...fields, ...body }))
    assert.deepEqual(
      verdicts,
      all.map((body) => ours.Check({ ...fields, ...body })),
    )
    assert.ok(verdicts.includes(true) && verdicts.includes(false))
  }
})

test('the printed limits of extra headers are those that are held', () => {
  const { extra_headers } = api.components.schemas.ChatRequest!.properties!
  const printed = Build(extra_headers as never).Evaluate()
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'v']))
  for (const headers of [many(50), many(51), { 'x y': 'v' }, { 'x-y': 'v' }, { '': 'v' }])
    assert.equal(printed.Check(headers), chatIssues({ extra_headers: headers }).length === 0)
})

test('the actions of hooks are listed', () => {
  const { PreHook, PostHook } = api.components.schemas
  assert.deepEqual(PreHook!.properties!.action!.enum, Object.keys(PRE_HOOKS))
  assert.deepEqual(PostHook!.properties!.action!.enum, Object.keys(POST_HOOKS))
})

test('a default is a sentence of the description', () => {
  const { n } = api.components.schemas.ChatRequest!.properties!
  assert.equal(n!.description, 'How many answers to generate. Default: 1.')
  assert.deepEqual(n!.anyOf, [{ type: 'integer', minimum: 1, maximum: 128 }, { type: 'null' }])
})

test('each stream has its own events', () => {
  const events = ['/v3/chat/completions', '/v3/v1/messages', '/v3/responses', '/v3/audio/transcriptions'].map(
    (path) => {
      const reply = api.paths[path]!.post!.responses[200]!
      return 'content' in reply && reply.content!['text/event-stream']!.schema!.$ref!.split('/').at(-1)
    },
  )
  assert.deepEqual(events, ['ChatEvent', 'MessageEvent', 'ResponseEvent', 'TranscriptionEvent'])
})

test('an upload is a form, and may be refused for its type or its fields', () => {
  const { requestBody, responses } = api.paths['/v3/upload']!.post!
  assert.deepEqual(Object.keys(requestBody!.content), ['multipart/form-data'])
  assert.ok(responses[413] && responses[415] && responses[422])
})

test('ids have one format in paths and bodies', () => {
  const parameters = Object.values(api.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ parameters = [] }) => parameters.filter((one) => one.in === 'path')),
  )
  for (const { name, schema } of parameters)
    assert.equal(schema.format === 'uuid', ['file_id', 'job_id', 'collection_id', 'id'].includes(name), name)
})

test('the webhook has a tag of its own, needs no key, and can be left out', () => {
  const { tags, security } = api.webhooks!.async_job_completed!.post!
  assert.deepEqual([tags, security], [['Webhook receiver'], []])
  const operations = Object.values(api.paths).flatMap((methods) => Object.values(methods))
  assert.ok(operations.every((operation) => operation.tags[0] !== tags[0]))
  const plain = openapiDocument(API_ROUTES, { webhooks: false })
  assert.equal('webhooks' in plain, false)
  assert.deepEqual(plain.paths, api.paths)
})

type Found = { schema: Schema; place: string }

function schemasIn(value: unknown, place = ''): Found[] {
  if (typeof value !== 'object' || value === null || /\/(example|examples)$/.test(place)) return []
  const inner = Object.entries(value).flatMap(([key, part]) => schemasIn(part, `${place}/${key}`))
  return [{ schema: value as Schema, place }, ...inner]
}

function isObject(schema: Schema): boolean {
  return schema.type === 'object'
}
