import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { ProblemKind } from '../../wire/upstream-problem.ts'
import { problem, problemIn } from './problem.ts'

type Recorded = { status: number; kind: ProblemKind; body: { error?: { message: string; type: string } } | string }

const ERRORS: Recorded[] = JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', 'errors.json'), 'utf8'))

describe('errors by status and body', () => {
  for (const { status, kind, body } of ERRORS) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    test(`${status} ${text.slice(0, 110)}`, () => {
      const found = problem(status, text)
      assert.deepEqual([found.kind, found.status], [kind, status])
      if (typeof body !== 'string' && body.error) assert.equal(found.message, body.error.message)
    })
  }

  test('the code is the finest name there is', () => {
    const details = { error_code: 'enforced_spend_limit_reached' }
    assert.equal(
      problem(429, JSON.stringify({ error: { type: 'rate_limit_error', details } })).code,
      details.error_code,
    )
    assert.equal(problem(529, '{"type":"error","error":{"type":"overloaded_error"}}').code, 'overloaded_error')
  })
})

describe('errors that came with status 200', () => {
  test('get the status that their type has elsewhere', () => {
    for (const { status, kind, body } of ERRORS) {
      if (typeof body === 'string' || !body.error) continue
      const found = problemIn(body)
      assert.deepEqual([found?.kind, found?.status], [kind, status])
    }
  })

  test('are distinguished from other events', () => {
    assert.equal(problemIn({ type: 'ping' }), undefined)
    assert.equal(problemIn({ type: 'tool_result', error: { message: 'inside' } }), undefined)
    assert.equal(problemIn({ error: 'bare' })?.message, 'bare')
  })
})
