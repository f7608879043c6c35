import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../../tenants/access/caller.ts'
import type { AttemptRecord } from '../attempt-record.ts'
import { JSON_FORMAT } from '../../platform/telemetry/otlp/json-format.ts'
import { namesOf } from '../../platform/telemetry/semconv.ts'
import { SpanParts } from './span-parts.ts'

const OPENAI = { baseUrl: 'https://api.openai.com/v1' }

function attemptAt(model: string, providerRow: AttemptRecord['providerRow'] = OPENAI): AttemptRecord {
  return { model, provider: 'openai', providerRow } as AttemptRecord
}

test('a target is described once, and another model, operation or provider is another target', () => {
  const parts = new SpanParts(namesOf('1.41'), JSON_FORMAT)
  const first = parts.ofTarget(attemptAt('openai/gpt-4o'), 'chat')
  assert.equal(parts.ofTarget(attemptAt('openai/gpt-4o'), 'chat'), first)
  const others = [
    parts.ofTarget(attemptAt('openai/o3'), 'chat'),
    parts.ofTarget(attemptAt('openai/gpt-4o'), 'text_completion'),
    parts.ofTarget(attemptAt('openai/gpt-4o', { baseUrl: 'http://proxy.test:81' }), 'chat'),
  ]
  const described = [first, ...others].map(({ spanName, address, port }) => `${spanName} ${address}:${port}`)
  assert.deepEqual(described, [
    'chat gpt-4o api.openai.com:443',
    'chat o3 api.openai.com:443',
    'text_completion gpt-4o api.openai.com:443',
    'chat gpt-4o proxy.test:81',
  ])
  assert.equal(new Set([first, ...others].map(({ attributes }) => attributes)).size, 4)
})

test('names of models that callers invent do not fill the memory, and are still described', () => {
  const parts = new SpanParts(namesOf('1.41'), JSON_FORMAT)
  for (let i = 0; i < 2_000; i++) parts.ofTarget(attemptAt(`openai/m${i}`), 'chat')
  const late = () => parts.ofTarget(attemptAt('openai/late'), 'chat')
  assert.notEqual(late(), late())
  assert.equal(late().spanName, 'chat late')
})

test('two callers are told apart', () => {
  const parts = new SpanParts(namesOf('1.41'), JSON_FORMAT)
  const caller = (keyId: string) => ({ keyId, project: 'p', organization: 'o', user: null }) as Caller
  const [one, other] = [caller('one'), caller('other')]
  assert.equal(parts.ofCaller(one), parts.ofCaller(one))
  assert.notEqual(parts.ofCaller(one), parts.ofCaller(other))
})
