import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Build } from 'typebox/schema'
import { listOf } from '../../base/schema/record.ts'
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

  test(`${name}: no boolean is an enumeration, and no union has two texts or two lists of objects, which Rust and Java cannot compile`, () => {
    const schemas = schemasIn(document)
    const wrong = schemas.filter(({ schema: { const: only, anyOf = [], ...schema } }) => {
      const lists = anyOf.filter(
        ({ type, items }) => type === 'array' && !/string|integer|number/.test(`${items?.type}`),
      )
      const texts = anyOf.filter(({ type }) => type === 'string')
      return (
        [only, ...listOf(schema.enum)].some((value) => typeof value === 'boolean') ||
        lists.length > 1 ||
        texts.length > 1
      )
    })
    assert.deepEqual(
      wrong.map(({ place }) => place),
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
  assert.deepEqual([n!.type, n!.minimum, n!.maximum], ['integer', 1, 128])
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

test('the webhook is a callback of the request that names its address, needs no key, and there is no section of webhooks', () => {
  const { callbacks } = api.paths['/v3/universal-ai/async']!.post!
  const { post } = callbacks!.async_job_completed!['{$request.body#/webhook_receiver}']!
  assert.deepEqual(post!.security, [])
  for (const [, document] of documents) assert.equal('webhooks' in document, false)
})

/** Fields in which null says something else than no field. */
const MEANINGFUL_NULLS = [...['Message.content', 'CohereMessage.content'], 'ChangeConversationRequest.metadata']

test('in requests no field may be null or anything, because generated clients send null for such a field', () => {
  const fields = requestSchemas().flatMap(([title, { properties = {} }]) =>
    Object.entries(properties).map(([name, field]) => ({ place: `${title}.${name}`, field })),
  )
  const mayBeNull = ({ anyOf = [], type }: Schema) => type === 'null' || anyOf.some((part) => part.type === 'null')
  const isUntyped = (field: Schema) => !['type', 'anyOf', 'enum', 'const', '$ref'].some((keyword) => keyword in field)
  assert.ok(fields.length > 300)
  assert.deepEqual(
    fields
      .filter(({ field }) => mayBeNull(field) || isUntyped(field))
      .map(({ place }) => place)
      .sort(),
    MEANINGFUL_NULLS.toSorted(),
  )
})

test('of two texts, generators see one, and validators both', () => {
  const schema = { anyOf: [{ type: 'string', enum: ['day'] }, { type: 'string', pattern: '^idle:' }, { type: 'null' }] }
  const printed = Build(portable(schema)).Evaluate()
  for (const value of ['day', 'idle:30m', null, 'month', '', 1])
    assert.equal(printed.Check(value), Build(schema).Evaluate().Check(value), String(value))
  assert.equal(portable(schema).anyOf!.length, 2)
  assert.equal(portable({ anyOf: schema.anyOf.slice(0, 2) }).type, 'string')
})

test('of a text or a list of objects, generators see no type of the objects, and validators do', () => {
  const unions = documents.flatMap(([, document]) => schemasIn(document)).filter(({ schema }) => isChoice(schema))
  const elements = unions.flatMap(({ schema }) => schema.anyOf!.flatMap(({ items }) => (items ? [items] : [])))
  const typed = elements.filter((items) => items.$ref || items.anyOf || isObject(items))
  assert.deepEqual(typed, [])
  const { content } = api.components.schemas.Message!.properties!
  assert.deepEqual(content!.anyOf![1], {
    type: 'array',
    items: { if: { $ref: '#/components/schemas/ContentPart' }, else: { not: {} } },
  })
  const schema = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'object', required: ['type'] } }] }
  const printed = Build(portable(schema)).Evaluate()
  assert.deepEqual(
    [[], [{ type: 'text' }], 'a', [{}], [5]].map((value) => printed.Check(value)),
    [true, true, true, false, false],
  )
})

test('what is true or false in a query is a boolean', () => {
  for (const [, document] of documents)
    for (const { schema, place } of schemasIn(document.paths))
      if (Array.isArray(schema.enum)) assert.ok(!schema.enum.includes('true'), place)
})

/** The schemas of requests, and those inside of them. */
function requestSchemas(): [title: string, Schema][] {
  const operations = Object.values(api.paths).flatMap((methods) => Object.values(methods))
  const bodies = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}))
  const titles = new Set<string>()
  const collect = (part: unknown) => {
    for (const { schema } of schemasIn(part)) {
      const title = String(schema.$ref ?? '')
        .split('/')
        .at(-1)!
      if (!title || titles.has(title)) continue
      titles.add(title)
      collect(api.components.schemas[title])
    }
  }
  collect(bodies.map(({ schema }) => schema))
  return [...titles].map((title) => [title, api.components.schemas[title]!])
}

/** Whether a value may be of several types. */
function isChoice({ anyOf }: Schema): boolean {
  return Array.isArray(anyOf) && anyOf.filter(({ type }) => type !== 'null').length > 1
}

type Found = { schema: Schema; place: string }

function schemasIn(value: unknown, place = ''): Found[] {
  if (typeof value !== 'object' || value === null || /\/(example|examples)$/.test(place)) return []
  const inner = Object.entries(value).flatMap(([key, part]) => schemasIn(part, `${place}/${key}`))
  return [{ schema: value as Schema, place }, ...inner]
}

function isObject(schema: Schema): boolean {
  return schema.type === 'object'
}
