import type { CheckName, CreateGuardrailRequest, GuardrailBody } from '../../../src/contract/admin/guardrails.ts'
import { textOf, valuesOf } from '../../parts/described-input.ts'
import { CHECK_FIELDS } from './check-fields.ts'

type Checks = CreateGuardrailRequest['checks']
export type Action = CreateGuardrailRequest['action']
export type Mode = NonNullable<CreateGuardrailRequest['mode']>
export type Phase = NonNullable<CreateGuardrailRequest['phases']>[number]
export type HolderKind = 'all' | 'organization' | 'project' | 'key'

/** A check as its form has it: what was typed, by parameter. `more` has what the form does not know. */
export type CheckDraft = {
  check: CheckName
  texts: Readonly<Record<string, string>>
  more: Readonly<Record<string, unknown>>
}
/** In forms, or as JSON. */
export type ChecksDraft = { list: readonly CheckDraft[] } | { json: string }

export type GuardrailDraft = {
  name: string
  holder: HolderKind
  holderId: string
  checks: ChecksDraft
  action: Action
  mode: Mode
  phases: readonly Phase[]
  onError: '' | 'open' | 'closed'
  respond: 'error' | 'message'
  message: string
}

export const EMPTY_DRAFT: GuardrailDraft = {
  ...{ name: '', holder: 'all', holderId: '', checks: { list: [] }, action: 'flag', mode: 'shadow' },
  ...{ phases: ['input', 'output'], onError: '', respond: 'error', message: '' },
}

export function draftOf(guardrail: GuardrailBody): GuardrailDraft {
  const { name, applies_to: appliesTo, checks, action, mode, phases, on_error, respond, message } = guardrail
  const [holder, ...id] = appliesTo.split(':') as [HolderKind, ...string[]]
  return {
    ...{ name: name ?? '', holder, holderId: id.join(':'), checks: inForms(checks), action, mode: mode ?? 'enforce' },
    ...{ phases: phases ?? EMPTY_DRAFT.phases, onError: on_error ?? '', respond: respond ?? 'error' },
    message: message ?? '',
  }
}

/** Throws a sentence for the person. */
export function requestOf(draft: GuardrailDraft): CreateGuardrailRequest {
  const { name, holder, holderId, checks, action, mode, phases, onError, respond, message } = draft
  return {
    ...{ name: name.trim() || null, applies_to: holder === 'all' ? holder : `${holder}:${holderId.trim()}` },
    ...{ checks: checksIn(checks), action, mode, phases: [...phases], on_error: onError || null },
    ...{ respond, message: message.trim() || null },
  }
}

/** Throws a sentence for the person. What is wrong with a check, the API says. */
export function checksIn(draft: ChecksDraft): Checks {
  if ('list' in draft)
    return draft.list.map(({ check, texts, more }) => {
      return { ...more, check, ...valuesOf(CHECK_FIELDS[check].fields, texts) }
    })
  try {
    const value: unknown = JSON.parse(draft.json)
    if (Array.isArray(value)) return value as Checks
  } catch {
    // The sentence below says it.
  }
  throw new Error('The checks have to be a list in JSON, such as [{ "check": "secrets" }].')
}

export function inJson(draft: ChecksDraft): ChecksDraft {
  return { json: JSON.stringify(checksIn(draft), null, 2) }
}

/** A check that the forms do not know stays JSON. */
export function inForms(checks: Checks): ChecksDraft {
  if (!checks.every(({ check }) => Object.hasOwn(CHECK_FIELDS, check))) return { json: JSON.stringify(checks, null, 2) }
  return { list: checks.map((one) => newCheck(one.check as CheckName, one)) }
}

export function newCheck(check: CheckName, params: Readonly<Record<string, unknown>>): CheckDraft {
  const { fields } = CHECK_FIELDS[check]
  const given = fields.filter(({ name }) => params[name] != null)
  const known = new Set(['check', ...fields.map(({ name }) => name)])
  return {
    check,
    texts: Object.fromEntries(given.map((field) => [field.name, textOf(field, params[field.name])])),
    more: Object.fromEntries(Object.entries(params).filter(([name]) => !known.has(name))),
  }
}
