import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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

test('the guide lists every check, in the order in which they run', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guardrails.md'), 'utf8')
  const listed = [
    ...guide.matchAll(/^\| `(\w+)` \| .* \| (?:in the gateway|service|(?:task|model) of the gateway) \|$/gm),
  ]
  assert.deepEqual(
    listed.map(([, name]) => name),
    [...CHECK_NAMES],
  )
})

test('what is wrong with parameters can be said in words', () => {
  for (const name of CHECK_NAMES) assert.ok(readSchema(CHECKS[name].params), name)
})

test('checks outside of the gateway rewrite before others judge', () => {
  const outside = CHECK_NAMES.map((name) => CHECKS[name]).filter((check) => check.kind !== 'local')
  const judging = outside.findIndex((check) => !check.rewrites)
  assert.deepEqual(
    outside.slice(judging).filter((check) => check.rewrites),
    [],
  )
})
