import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validator } from '../../base/schema/validator.ts'
import { WebhookPayload } from '../../contract/webhook.ts'
import { type FinishedJob, payloadOf } from './payload.ts'

const ALWAYS = ['event', 'job_id', 'status', 'feature', 'subfeature', 'provider', 'model', 'created_at', 'finished_at']

const PRESENCE: { result: FinishedJob['result']; userParameters: FinishedJob['userParameters']; adds: string[] }[] = [
  { result: { status: 'success', output: { a: 1 } }, userParameters: null, adds: ['output'] },
  { result: { status: 'fail', error: 'no' }, userParameters: null, adds: ['error'] },
  {
    result: { status: 'success', output: {}, original: null },
    userParameters: {},
    adds: ['output', 'original_response', 'user_parameters'],
  },
  {
    result: { status: 'fail', error: 'no', original: 'raw' },
    userParameters: { b: [] },
    adds: ['error', 'original_response', 'user_parameters'],
  },
]

for (const { result, userParameters, adds } of PRESENCE)
  test(`a webhook of ${JSON.stringify({ ...result, userParameters })} has just the fields it should`, () => {
    const payload = payloadOf({ ...job(), result, userParameters })
    assert.deepEqual(Object.keys(payload).sort(), [...ALWAYS, ...adds].sort())
    assert.ok(isPayload(payload))
  })

test('a webhook tells of the job in the words of the contract', () => {
  const payload = payloadOf({ ...job(), result: { status: 'fail', error: 'It broke.' }, userParameters: { a: null } })
  assert.deepEqual(payload, {
    event: 'async_job_completed',
    job_id: '8f5e7a52-2f1c-4a53-9d53-0e5ac1f1a001',
    status: 'fail',
    feature: 'text',
    subfeature: 'moderation',
    provider: 'openai',
    model: null,
    created_at: '2028-02-29T23:59:59.999Z',
    finished_at: '2028-03-01T00:00:00.000Z',
    error: { message: 'It broke.' },
    user_parameters: { a: null },
  })
})

function isPayload(value: unknown): boolean {
  return validator(WebhookPayload).check(value)
}

function job(): Omit<FinishedJob, 'result' | 'userParameters'> {
  const times = { createdAt: Date.UTC(2028, 1, 29, 23, 59, 59, 999), finishedAt: Date.UTC(2028, 2, 1) }
  const address = { feature: 'text', subfeature: 'moderation', provider: 'openai', model: null }
  return { id: '8f5e7a52-2f1c-4a53-9d53-0e5ac1f1a001', ...address, ...times }
}
