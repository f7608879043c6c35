import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JsonSchema, readSchema } from '../../base/schema/json-schema.ts'
import { CHECK_NAMES } from '../../contract/admin/guardrails.ts'
import { CHECKS } from './checks.ts'

test('every check describes itself and its parameters in whole sentences', () => {
  assert.deepEqual(Object.keys(CHECKS).sort(), [...CHECK_NAMES].sort())
  for (const name of CHECK_NAMES) {
    const { description, params } = CHECKS[name]
    assert.match(description, /^[A-Z].*\.$/, name)
    for (const [param, schema] of Object.entries(
      (params as { properties: Record<string, JsonSchema & { description?: string }> }).properties,
    ))
      assert.match(schema.description ?? '', /^[A-Z`].*\.$/, `${name}.${param}`)
  }
})

test('what is wrong with parameters can be said in words', () => {
  for (const name of CHECK_NAMES) assert.ok(readSchema(CHECKS[name].params), name)
})

test('checks outside of the gateway rewrite before others judge', () => {
  const judging = CHECK_NAMES.findIndex((name) => CHECKS[name].kind === 'model')
  const rewriting = CHECK_NAMES.flatMap((name, at) => {
    const check = CHECKS[name]
    return check.kind === 'remote' && check.rewrites ? [at] : []
  })
  assert.ok(Math.max(...rewriting) < judging)
})
