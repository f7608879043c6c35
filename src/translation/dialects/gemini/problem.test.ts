import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERRORS } from './fixtures/recordings.ts'
import { problem, problemIn } from './problem.ts'

const KINDS: Record<string, string> = {
  'invalid-argument': 'bad_request',
  'bad-key': 'auth',
  region: 'auth',
  'too-long': 'context_length',
  'too-long-vertex': 'context_length',
  'too-large': 'too_large',
  unauthenticated: 'auth',
  billing: 'auth',
  forbidden: 'auth',
  'not-found': 'model_not_found',
  'rate-limited': 'rate_limited',
  'daily-quota': 'rate_limited',
  cancelled: 'server_error',
  internal: 'server_error',
  unavailable: 'overloaded',
  deadline: 'timeout',
}

test('every error of the table, by status and inside a 200', () => {
  assert.deepEqual(Object.keys(ERRORS).toSorted(), Object.keys(KINDS).toSorted())
  for (const [name, { status, body }] of Object.entries(ERRORS)) {
    for (const found of [
      problem(status, JSON.stringify(body)),
      problem(status, JSON.stringify([body])),
      problemIn(body)!,
    ]) {
      assert.equal(found.kind, KINDS[name], name)
      assert.equal(found.status, status, name)
      assert.equal(found.message, body.error.message, name)
    }
  }
})

test('the seconds to wait are read from the details or from the message', () => {
  const seconds = (name: string) => problem(ERRORS[name]!.status, JSON.stringify(ERRORS[name]!.body)).retryAfterSeconds
  assert.equal(seconds('rate-limited'), 34)
  assert.equal(seconds('daily-quota'), 3600)
  assert.equal(seconds('unavailable'), undefined)
  const bare = { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Please retry in 11.6s.' } }
  assert.equal(problemIn(bare)?.retryAfterSeconds, 12)
})

test('the invalid field and the code that agents look for', () => {
  assert.equal(problemIn(ERRORS['invalid-argument']!.body)?.param, 'generation_config.top_p')
  assert.equal(problemIn(ERRORS['too-long']!.body)?.code, 'context_length_exceeded')
  assert.equal(problemIn(ERRORS.internal!.body)?.code, 'INTERNAL')
})

test('bodies that are no error of Google', () => {
  assert.deepEqual(
    [problem(502, '<html>').kind, problem(404, '').kind, problem(413, '{}').kind],
    ['server_error', 'model_not_found', 'too_large'],
  )
  assert.equal(problem(500, '{"error":"out of order"}').message, 'out of order')
  assert.equal(problemIn({ error: { status: 'UNAVAILABLE' } })?.status, 503)
  for (const value of [undefined, null, [], {}, { error: null }, { error: 3 }])
    assert.equal(problemIn(value), undefined)
})
