import type { CreateGuardrailRequest, GuardrailBody } from '../../../src/contract/admin/guardrails.ts'

type Checks = CreateGuardrailRequest['checks']
export type Action = CreateGuardrailRequest['action']
export type Mode = NonNullable<CreateGuardrailRequest['mode']>

/** What a form has: texts. The checks are a list in JSON. */
export type GuardrailDraft = { name: string; appliesTo: string; checks: string; action: Action; mode: Mode }

export const EMPTY_DRAFT: GuardrailDraft = { name: '', appliesTo: 'all', checks: '[]', action: 'flag', mode: 'shadow' }

export function draftOf({ name, applies_to: appliesTo, checks, action, mode }: GuardrailBody): GuardrailDraft {
  return { name: name ?? '', appliesTo, checks: written(checks), action, mode: mode ?? 'enforce' }
}

export function requestOf({ name, appliesTo, checks, action, mode }: GuardrailDraft): CreateGuardrailRequest {
  return { name: name.trim() || null, applies_to: appliesTo.trim(), checks: checksIn(checks), action, mode }
}

/** Throws a sentence for the person. What is wrong with a check, the API says. */
export function checksIn(text: string): Checks {
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value)) return value as Checks
  } catch {
    // The sentence below says it.
  }
  throw new Error('The checks have to be a list in JSON, such as [{ "check": "secrets" }].')
}

/** The list with one more check, if it is a list. */
export function withCheck(text: string, check: string, params: object): string {
  try {
    return written([...checksIn(text), { check, ...params }])
  } catch {
    return text
  }
}

function written(checks: Checks): string {
  return JSON.stringify(checks, null, 2)
}
