import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkLimits } from './check-limits.ts'

test('patterns that can match no target are named, with what to write instead', () => {
  const models = ['gpt-4o', '*/gpt-4o', 'openai/*-mini', 'openai/gpt-4o', 'openai/*', 'open*', '*']
  const findings = checkLimits({ spendLimits: [{ id: 'small', models }] })
  assert.equal(findings.length, 1)
  assert.match(findings[0]!.text, /^small: no target has the name gpt-4o, \*\/gpt-4o, openai\/\*-mini\.$/)
  assert.match(findings[0]!.advice!, /openai\/gpt-4o/)
})

test('limits of all models, and of models with the names of targets, are fine', () => {
  const spendLimits = [
    { id: 'all', models: null },
    { id: 'one', models: ['openai/gpt-4o'] },
  ]
  assert.deepEqual(checkLimits({ spendLimits }), [])
})
