import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHARS_PER_STEP, StepBudget } from '../../hooks/step-budget.ts'
import { SecretScanner } from './secret-scanner.ts'

class CountedSteps extends StepBudget {
  steps = 0
  override spend(steps: number): void {
    this.steps += steps
  }
}

function found(text: string, budget: StepBudget = new CountedSteps(0)): string[] {
  const scanner = new SecretScanner(true, budget)
  const spans = [...scanner.push(text).spans, ...scanner.end().spans]
  return spans.map(({ from, to, rule }) => `${rule} ${text.slice(from, to)}`)
}

test('the shortest tokens are found between words', () => {
  const tokens = {
    slack_token: 'xoxb-a1B2c3D4e5',
    aws_access_key: 'AKIAIOSFODNN7EXAMPLE',
    password_in_url: 'ab://u:pw1@h',
    assigned: 'password: a1b2c3d4',
  }
  for (const [rule, token] of Object.entries(tokens)) {
    const [only, ...others] = found(`We said: it is\n${token} and that is all. ${'More words. '.repeat(200)}`)
    assert.match(only ?? '', new RegExp(`^${rule} `))
    assert.deepEqual(others, [])
  }
})

test('words without secrets are passed over in one look, also if colons stand between them', () => {
  const text = 'She said: "perhaps", and he: "=". The price = 12:30. '.repeat(2_000)
  const budget = new CountedSteps(0)
  assert.deepEqual(found(text, budget), [])
  // One step for the text, and no search of a single word but the last one.
  assert.ok(budget.steps < text.length / CHARS_PER_STEP + 100, `${budget.steps}`)
})
