import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TSchema } from '../base/schema/type.ts'
import { sample } from '../../test/soak/sample.ts'
import { ChatRequest } from './chat.ts'
import { ChatChunk, ChatCompletion } from './chat-reply.ts'
import { DeleteFilesRequest } from './files.ts'
import { chatBody, json } from './fixtures/chat-bodies.ts'
import { mutation } from './fixtures/chat-mutations.ts'
import { ImageEditRequest } from './images.ts'
import type { JsonSchema } from '../base/schema/json-schema.ts'
import { CreateKeyRequest } from './admin/keys.ts'
import { CountTokensRequest } from './tokens.ts'
import { UniversalAsyncRequest, UniversalJob } from './universal.ts'
import { validator } from '../base/schema/validator.ts'

const chat = validator(ChatRequest)
const BODIES = sample(150, 2_000)
const MANGLED = sample(100, 2_000)

test(`${BODIES} valid chat bodies are accepted, and together they use every field`, () => {
  const seen = new Set<string>()
  const accepted = fc.property(chatBody, (body) => {
    assert.deepEqual(chat.issues(body, ['body']), [])
    assert.ok(chat.check(body))
    for (const [field, value] of Object.entries(body)) if (value !== null) seen.add(field)
  })
  fc.assert(accepted, { numRuns: BODIES })
  assert.deepEqual(
    Object.keys(ChatRequest.properties).filter((field) => !seen.has(field)),
    [],
  )
})

test(`${BODIES} single mutations are refused at exactly the mutated path`, () => {
  const refused = fc.property(chatBody, mutation(), (body, mutate) => {
    const { mutated, place } = mutate(structuredClone(body))
    assert.equal(chat.check(mutated), false, `accepted at ${place.join('.')}`)
    assert.deepEqual(
      chat.issues(mutated, ['body']).map((issue) => issue.loc),
      [['body', ...place]],
    )
  })
  fc.assert(refused, { numRuns: BODIES })
})

test('a value has no issues exactly when the compiled check passes', () => {
  const schemas: TSchema[] = [ChatRequest, ImageEditRequest, UniversalAsyncRequest, UniversalJob, CountTokensRequest]
  schemas.push(DeleteFilesRequest, CreateKeyRequest, ChatCompletion, ChatChunk)
  for (const schema of schemas) {
    const { check, issues } = validator(schema)
    const outcomes = new Set<boolean>()
    const lawful = fc.property(alike(schema), (value) => {
      assert.equal(issues(value, []).length === 0, check(value))
      outcomes.add(check(value))
    })
    fc.assert(lawful, { numRuns: sample(80, 500) })
    // By chance all of them may be alike, but not again and again.
    for (let more = 0; outcomes.size < 2 && more < 10; more++) fc.assert(lawful, { numRuns: sample(80, 500) })
    assert.equal(outcomes.size, 2, 'the values were all valid or all invalid')
  }
})

test('the same holds for chat bodies with a random value in a random place', () => {
  const lawful = fc.property(chatBody, fc.infiniteStream(fc.nat()), json, (body, steps, value) => {
    const mangled = mangle(structuredClone(body), steps, value)
    assert.equal(chat.issues(mangled, []).length === 0, chat.check(mangled))
  })
  fc.assert(lawful, { numRuns: MANGLED })
})

test('the same holds for any JSON', () => {
  const lawful = fc.property(fc.jsonValue(), (value) => {
    assert.equal(chat.issues(value, []).length === 0, chat.check(value))
  })
  fc.assert(lawful, { numRuns: MANGLED })
})

const STRINGS = ['', 'x', 'x'.repeat(2084), '😀', 'https://a', 'data:image/png', '2030-01-31T12:00:00Z']
const UUID = '2c1e5b0e-3f4d-4b59-9a0b-7c8f1d2e3a4b'

/** Values that mostly match a schema, but not always. */
function alike(schema: TSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 40, arbitrary: fitting(schema as JsonSchema) }, { weight: 1, arbitrary: json })
}

function fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum || 'const' in schema) return fc.constantFrom(...(schema.enum ?? [schema.const]))
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(alike))
  if (schema.type === 'object') return objectAlike(schema)
  if (schema.type === 'array') return fc.array(alike(schema.items ?? {}), { maxLength: 4 })
  if (schema.type === 'string') return schema.format === 'uuid' ? fc.constant(UUID) : fc.constantFrom(...STRINGS)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'null') return fc.constant(null)
  return schema.type === undefined ? json : fc.constantFrom(-3, 0, 0.5, 1, 2, 2.5, 11, 21)
}

function objectAlike({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<unknown> {
  const known = Object.fromEntries(Object.entries(properties).map(([key, property]) => [key, alike(property)]))
  const model = { ...known, some_other_key: json }
  return fc.oneof(
    { weight: 20, arbitrary: fc.record(known, { requiredKeys: required }) },
    { weight: 1, arbitrary: fc.record(model, { requiredKeys: [] }) },
  )
}

function mangle(node: unknown, steps: Iterator<number>, value: unknown): unknown {
  const keys = typeof node === 'object' && node !== null ? Object.keys(node) : []
  const key = keys[steps.next().value % (keys.length + 1)]
  if (key === undefined) return value
  const parent = node as Record<string, unknown>
  parent[key] = mangle(parent[key], steps, value)
  return parent
}
