import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { errors } from './fixtures/errors.ts'
import { cohere } from './index.ts'

describe('errors of Cohere', () => {
  for (const { name, status, body, kind } of errors)
    test(`${status}: ${name}`, () => {
      const problem = cohere.chat.problem(status, typeof body === 'string' ? body : JSON.stringify(body))
      assert.equal(problem.kind, kind)
      assert.equal(problem.status, status)
      if (typeof body === 'object') assert.equal(problem.message, (body as { message: string }).message)
    })
})
