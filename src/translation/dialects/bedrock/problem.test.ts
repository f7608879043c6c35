import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { errors, exceptions } from './fixtures/errors.ts'
import { bedrock } from './index.ts'
import { problemOfEvent } from './problem.ts'

describe('errors of Bedrock', () => {
  for (const { name, status, body, kind } of errors)
    test(`${status}: ${name}`, () => {
      const problem = bedrock.chat.problem(status, typeof body === 'string' ? body : JSON.stringify(body))
      assert.equal(problem.kind, kind)
      assert.equal(problem.status, status)
      assert.ok(problem.message.length > 0)
    })

  test('the name of the exception is its code, without where it comes from', () => {
    const text = '{"__type":"com.amazon.coral.service#ThrottlingException:http://internal","message":"Slow"}'
    const { kind, code, message } = bedrock.chat.problem(400, text)
    assert.deepEqual({ kind, code, message }, { kind: 'rate_limited', code: 'ThrottlingException', message: 'Slow' })
  })
})

describe('exceptions in a stream', () => {
  for (const { type, message, status, kind } of exceptions)
    test(`${type}: ${message}`, () => {
      const problem = problemOfEvent(`exception:${type}`, JSON.stringify({ message }))
      assert.deepEqual(
        { kind: problem.kind, status: problem.status, code: problem.code, message: problem.message },
        { kind, status, code: kind === 'context_length' ? 'context_length_exceeded' : type, message },
      )
    })

  test('a model that tells its own status is believed', () => {
    const data = '{"message":"m","originalStatusCode":503}'
    assert.equal(problemOfEvent('exception:modelStreamErrorException', data).status, 503)
  })
})

test('an answer names its exception in a header', () => {
  const headers = { 'x-amzn-errortype': 'ServiceQuotaExceededException:http://internal.amazon.com/coral/' }
  const found = bedrock.chat.problem(400, '{"message":"Slow down"}', headers)
  assert.deepEqual([found.kind, found.code], ['rate_limited', 'ServiceQuotaExceededException'])
  assert.equal(bedrock.chat.problem(400, '{"message":"Slow down"}').kind, 'bad_request')
})
