import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHECK_EXAMPLES } from '../console/screens/guardrails/examples.ts'
import { guardrailOf } from '../src/platform/config/guardrails/guardrail-entry.ts'

test('every check that the console offers is valid as it is offered', () => {
  for (const [check, { params }] of Object.entries(CHECK_EXAMPLES)) {
    const read = guardrailOf({ id: 'g', applies_to: 'all', action: 'flag', checks: [{ check, ...params }] }, 'api', [])
    assert.ok(!Array.isArray(read), `${check}: ${JSON.stringify(read)}`)
  }
})
