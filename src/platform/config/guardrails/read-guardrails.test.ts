import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGuardrails } from './read-guardrails.ts'

test('the secret of a check has to be in the environment', () => {
  const check = { check: 'external', url: 'https://checks.example', credential: 'env:CHECK_SECRET' }
  const guardrails = [{ id: 'own', appliesTo: 'all', action: 'block', checks: [{ check: 'secrets' }, check] }]
  const message = 'guardrails.0.checks.1.credential: the variable CHECK_SECRET is not set'
  for (const environment of [{}, { CHECK_SECRET: '' }])
    assert.throws(() => readGuardrails(guardrails, environment), { name: 'ConfigError', message })
  assert.equal(readGuardrails(guardrails, { CHECK_SECRET: 's' }).length, 1)
})
