import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TSchema } from '../base/schema/type.ts'
import { Compile } from 'typebox/compile'
import * as chat from './chat.ts'
import * as chatReply from './chat-reply.ts'
import * as errors from './errors.ts'
import * as files from './files.ts'
import * as images from './images.ts'
import * as keys from './admin/keys.ts'
import * as models from './models.ts'
import * as tokens from './tokens.ts'
import * as universal from './universal.ts'
import { validator } from '../base/schema/validator.ts'
import * as webhook from './webhook.ts'

const modules = [chat, chatReply, errors, files, images, keys, models, tokens, universal, webhook]
const exported = Object.entries(Object.assign({}, ...modules) as Record<string, TSchema & { description?: string }>)
/** Constants (lists of words, limits, fields that several schemas share) are no schemas. */
const named = exported.filter(([name, value]) => typeof value === 'object' && !/^[A-Z_]+$/.test(name)) as [
  string,
  TSchema & Titled,
][]

const messages = [{ role: 'user', content: 'hi' }]
const valid = {
  chat: { model: 'sandbox/echo', messages },
  image: { model: 'sandbox/image', prompt: 'a gate' },
  edit: { model: 'sandbox/image', prompt: 'a gate', images: [{ file_id: '2c1e5b0e-3f4d-4b59-9a0b-7c8f1d2e3a4b' }] },
  task: { model: 'text/moderation/sandbox', input: {} },
  job: { model: 'ocr/ocr_async/sandbox', input: {} },
  count: { model: 'anthropic/claude', messages },
  deletion: { file_ids: ['2c1e5b0e-3f4d-4b59-9a0b-7c8f1d2e3a4b'] },
  key: { name: 'laptop' },
}
const validators = {
  chat: validator(chat.ChatRequest),
  image: validator(images.ImageGenerationRequest),
  edit: validator(images.ImageEditRequest),
  task: validator(universal.UniversalRequest),
  job: validator(universal.UniversalAsyncRequest),
  count: validator(tokens.CountTokensRequest),
  deletion: validator(files.DeleteFilesRequest),
  key: validator(keys.CreateKeyRequest),
}
type Kind = keyof typeof valid
type Titled = { title?: string; description?: string }

test('every schema is compiled, described, titled by its export and printable', () => {
  for (const [name, schema] of named) {
    assert.ok(Compile(schema).IsAccelerated(), `${name} is not accelerated`)
    assert.equal(schema.title, name)
    assert.ok(schema.description, `${name} has no description`)
    assert.doesNotThrow(() => validator(schema), name)
    assert.ok(!JSON.stringify(schema).includes('"~'), `${name} prints a private keyword`)
  }
})

test('every field of a request has a description', () => {
  for (const schema of [
    chat.ChatRequest,
    images.ImageEditRequest,
    universal.UniversalAsyncRequest,
    keys.CreateKeyRequest,
  ]) {
    for (const [field, property] of Object.entries(schema.properties)) {
      assert.ok((property as { description?: string }).description, `${field} has no description`)
    }
  }
})

test('limits are enforced at both ends', () => {
  const limits: [Kind, string, unknown[], unknown[]][] = [
    ['chat', 'fallbacks', [[], list(3)], [list(4)]],
    ['chat', 'n', [1, 1.0, 100], [0, -1]],
    ['chat', 'max_tokens', [1, 1e9], [0]],
    ['chat', 'max_completion_tokens', [1, 1e9], [0]],
    ['chat', 'temperature', [0, 2], [-0.001, 2.001]],
    ['chat', 'top_p', [0, 1], [-0.001, 1.001]],
    ['chat', 'frequency_penalty', [-2, 2], [-2.001, 2.001]],
    ['chat', 'presence_penalty', [-2, 2], [-2.001, 2.001]],
    ['chat', 'top_logprobs', [1, 20], [0, 21]],
    ['image', 'prompt', ['x', 'x'.repeat(32_000), '😀'.repeat(32_000)], ['', 'x'.repeat(32_001), '😀'.repeat(32_001)]],
    ['image', 'n', [1, 10], [0, 11]],
    ['edit', 'n', [1, 10], [0, 11]],
    ['edit', 'images', [references(1), references(16)], [references(0), references(17)]],
    ['task', 'fallbacks', [[], list(3)], [list(4)]],
    ['job', 'fallbacks', [[], list(3)], [list(4)]],
    ['job', 'webhook_receiver', ['h', 'h'.repeat(2083)], ['', 'h'.repeat(2084)]],
    ['deletion', 'file_ids', [valid.deletion.file_ids, ids(100)], [[], ids(101)]],
    ['key', 'name', ['k', 'k'.repeat(200)], ['', 'k'.repeat(201)]],
  ]
  for (const [kind, field, good, bad] of limits) {
    for (const value of good) accepts(kind, { [field]: value })
    for (const value of bad) refuses(kind, { [field]: value }, [field])
  }
})

test('every optional field of a request may be null or absent', () => {
  const schemas: Partial<Record<Kind, TSchema>> = {
    chat: chat.ChatRequest,
    image: images.ImageGenerationRequest,
    edit: images.ImageEditRequest,
    task: universal.UniversalRequest,
    job: universal.UniversalAsyncRequest,
    count: tokens.CountTokensRequest,
    key: keys.CreateKeyRequest,
  }
  for (const [kind, schema] of Object.entries(schemas) as [Kind, { properties: object; required: string[] }][]) {
    const optionals = Object.keys(schema.properties).filter((field) => !schema.required.includes(field))
    assert.ok(optionals.length > 2)
    accepts(kind, {})
    accepts(kind, Object.fromEntries(optionals.map((field) => [field, null])))
    for (const field of schema.required) refuses(kind, { [field]: null }, [field])
  }
})

test('the body itself must be an object', () => {
  for (const body of [null, 'x', 5, true, []]) {
    assert.equal(validators.chat.check(body), false)
    assert.deepEqual(validators.chat.issues(body, ['body']), [
      { loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' },
    ])
  }
})

test('undefined means the same as absent', () => {
  accepts('chat', { user: undefined, temperature: undefined })
  refuses('chat', { model: undefined }, ['model'])
})

test('fields that clients send beyond the spec are accepted', () => {
  accepts('chat', { stop: 'END' })
  accepts('chat', { function_call: 'auto' })
  accepts('chat', { function_call: { name: 'f' } })
  accepts('chat', { some_new_field: { deep: [1] } })
  accepts('chat', { model: '' })
  for (const tier of ['auto', 'default', 'flex', 'scale', 'priority']) accepts('chat', { service_tier: tier })
  accepts('chat', { messages: [{ role: 'function', name: 'f', content: 'x', anything: 1 }] })
  accepts('chat', { messages: [{ role: 'assistant', content: null, tool_calls: [{ id: 'a' }], refusal: null }] })
  accepts('chat', { messages: [{ role: 'assistant' }] })
  accepts('image', { user: 'u', background: 'transparent', quality: 'ultra' })
  accepts('count', { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }], max_tokens: 5 })
  accepts('count', { system: [{ type: 'text', text: 'x' }], tools: [{}], tool_choice: {} })
})

test('every kind of content part is accepted', () => {
  const cache_control = { type: 'ephemeral', ttl: '5m' }
  acceptsPart({ type: 'text', text: 'x', cache_control })
  acceptsPart({ type: 'text', text: 'x', cache_control: null })
  acceptsPart({ type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } })
  acceptsPart({ type: 'image_url', image_url: 'https://example.com/a.png' })
  acceptsPart({ type: 'file', file: { file_id: 'https://example.com/a.pdf' } })
  acceptsPart({ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } })
  acceptsPart({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } })
  acceptsPart({ type: 'refusal', refusal: 'no' })
})

test('a schema is also the type', () => {
  const request: chat.ChatRequest = { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }
  const body: unknown = request
  assert.ok(validators.chat.check(body))
  const role: 'user' | 'assistant' | 'system' | 'tool' | 'developer' | 'function' | undefined = body.messages[0]?.role
  const effort: string | null | undefined = body.reasoning_effort
  assert.deepEqual([role, effort], ['user', undefined])
})

function accepts(kind: Kind, change: object): void {
  const body = { ...valid[kind], ...change }
  assert.deepEqual(validators[kind].issues(body, ['body']), [])
  assert.ok(validators[kind].check(body))
}

function refuses(kind: Kind, change: object, place: (string | number)[]): void {
  const body = { ...valid[kind], ...change }
  assert.equal(validators[kind].check(body), false, `${kind} accepts ${JSON.stringify(change).slice(0, 80)}`)
  assert.deepEqual(
    validators[kind].issues(body, ['body']).map((issue) => issue.loc),
    [['body', ...place]],
  )
}

function acceptsPart(part: object): void {
  accepts('chat', { messages: [{ role: 'user', content: [part] }] })
}

function list(length: number): string[] {
  return Array.from({ length }, (_, index) => `sandbox/${index}`)
}

function references(length: number): object[] {
  return Array.from({ length }, () => ({ image_url: 'data:image/png;base64,AAAA' }))
}

function ids(length: number): string[] {
  return Array.from({ length }, () => crypto.randomUUID())
}
