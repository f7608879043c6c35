import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHECK_EXAMPLES } from '../console/screens/guardrails/examples.ts'
import { changesOf, draftOf, requestOf } from '../console/screens/guardrails/guardrail-draft.ts'
import { CreateGuardrailRequest, type GuardrailBody } from '../src/contract/admin/guardrails.ts'
import { guardrailOf } from '../src/platform/config/guardrails/guardrail-entry.ts'

test('every check that the console offers is valid as it is offered', () => {
  for (const [check, { params }] of Object.entries(CHECK_EXAMPLES)) {
    const read = guardrailOf({ id: 'g', applies_to: 'all', action: 'flag', checks: [{ check, ...params }] }, 'api', [])
    assert.ok(!Array.isArray(read), `${check}: ${JSON.stringify(read)}`)
  }
})

test('the form of the console has every member of a guardrail, and gives back what it got', () => {
  const whole: Required<CreateGuardrailRequest> & { id: string } = {
    id: 'g',
    name: 'Birds',
    applies_to: 'project:a:b',
    action: 'redact',
    mode: 'shadow',
    checks: [
      { check: 'patterns', words: ['falcon'], of_another_version: { deep: 1 } },
      { check: 'of_another_version' },
    ],
    models: ['openai/gpt-5', 'an alias, with blanks'],
    endpoints: ['chat', 'mcp'],
    phases: ['tool_results'],
    sample: 0.07,
    on_error: 'open',
    timeout_ms: 1_234,
    respond: 'message',
    message: 'No birds.',
  }
  assert.deepEqual(Object.keys(whole).toSorted(), Object.keys(CreateGuardrailRequest.properties).toSorted())
  const stored = { owned_by: 'api', set_by: 'project', created_at: null, updated_at: null } as const
  const nothing = { name: null, models: null, endpoints: null, sample: null, on_error: null, timeout_ms: null }
  const least: Pick<GuardrailBody, 'id' | 'applies_to' | 'checks' | 'action'> = {
    id: 'g',
    applies_to: 'all',
    action: 'flag',
    checks: [{ check: 'secrets' }],
  }
  for (const [{ id, ...members }, usual] of [
    [whole, {}],
    [least, { ...nothing, message: null, mode: 'enforce', respond: 'error', phases: ['input', 'output'] }],
  ] as const)
    assert.deepEqual(requestOf(draftOf({ id, ...members, ...stored })), { ...members, ...usual })
})

test('only what was changed in the form is sent: what holds without being said is not', () => {
  const ofApi = { owned_by: 'api', set_by: 'project', created_at: null, updated_at: null } as const
  const usual = { on_error: 'open', timeout_ms: 3_000, sample: 1, mode: 'shadow', respond: 'error' } as const
  const before: GuardrailBody = {
    id: 'g',
    applies_to: 'all',
    action: 'flag',
    checks: [{ check: 'secrets' }],
    phases: ['input'],
    ...usual,
    ...ofApi,
  }
  assert.deepEqual(changesOf(draftOf(before), before), {})
  assert.deepEqual(changesOf({ ...draftOf(before), action: 'block', sample: '0.5' }, before), {
    action: 'block',
    sample: 0.5,
  })
})
