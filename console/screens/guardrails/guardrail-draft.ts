import type {
  ChangeGuardrailRequest,
  CheckName,
  CreateGuardrailRequest,
  GuardrailBody,
} from '../../../src/contract/admin/guardrails.ts'
import { textOf, valuesOf } from '../../parts/described-input.ts'
import type { Endpoint } from '../../parts/endpoints.ts'
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

/** What the person has typed so far. An empty text, and an empty list of endpoints, say nothing. */
export type GuardrailDraft = {
  name: string
  /** Of a new one. */
  id: string
  holder: HolderKind
  holderId: string
  checks: ChecksDraft
  action: Action
  mode: Mode
  phases: readonly Phase[]
  /** One pattern per line. */
  models: string
  endpoints: readonly Endpoint[]
  sample: string
  onError: '' | 'open' | 'closed'
  timeoutMs: string
  respond: 'error' | 'message'
  message: string
}

export const EMPTY_DRAFT: GuardrailDraft = {
  name: '',
  id: '',
  holder: 'all',
  holderId: '',
  checks: { list: [] },
  action: 'flag',
  mode: 'shadow',
  phases: ['input', 'output'],
  models: '',
  endpoints: [],
  sample: '',
  onError: '',
  timeoutMs: '',
  respond: 'error',
  message: '',
}

/** The API answers what holds, also where nothing was said. */
export const USUAL = { sample: 1, timeoutMs: 3_000 }

export function usualOnError(action: Action): 'open' | 'closed' {
  return action === 'flag' ? 'open' : 'closed'
}

export function draftOf(guardrail: GuardrailBody): GuardrailDraft {
  const { id, name, applies_to: appliesTo, checks, action, mode, phases, on_error, respond, message } = guardrail
  const { models, endpoints, sample, timeout_ms } = guardrail
  const [holder, ...holderId] = appliesTo.split(':') as [HolderKind, ...string[]]
  return {
    id,
    name: name ?? '',
    holder,
    holderId: holderId.join(':'),
    checks: inForms(checks),
    action,
    mode: mode ?? 'enforce',
    phases: phases ?? EMPTY_DRAFT.phases,
    models: models?.join('\n') ?? '',
    endpoints: endpoints ?? [],
    sample: sample == null || sample === USUAL.sample ? '' : String(sample),
    onError: on_error == null || on_error === usualOnError(action) ? '' : on_error,
    timeoutMs: timeout_ms == null || timeout_ms === USUAL.timeoutMs ? '' : String(timeout_ms),
    respond: respond ?? 'error',
    message: message ?? '',
  }
}

/** All but the id. A member that says nothing is null. Throws a sentence for the person. */
export function requestOf(draft: GuardrailDraft): Omit<CreateGuardrailRequest, 'id'> {
  const { name, holder, holderId, checks, action, mode, phases, onError, respond, message } = draft
  const models = draft.models.split('\n').flatMap((line) => line.trim() || [])
  return {
    name: name.trim() || null,
    applies_to: holder === 'all' ? holder : `${holder}:${holderId.trim()}`,
    checks: checksIn(checks),
    action,
    mode,
    phases: [...phases],
    models: models.length > 0 ? models : null,
    endpoints: draft.endpoints.length > 0 ? [...draft.endpoints] : null,
    sample: numberIn(draft.sample),
    on_error: onError || null,
    timeout_ms: numberIn(draft.timeoutMs),
    respond,
    message: message.trim() || null,
  }
}

/** What the person has changed, and nothing else. Throws a sentence for the person. */
export function changesOf(draft: GuardrailDraft, before: GuardrailBody): ChangeGuardrailRequest {
  const was: Readonly<Record<string, unknown>> = requestOf(draftOf(before))
  const all = Object.entries(requestOf(draft))
  return Object.fromEntries(all.filter(([member, value]) => JSON.stringify(value) !== JSON.stringify(was[member])))
}

function numberIn(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}

/** What is enough to try it. */
export function triedOf({ checks, action, timeoutMs }: GuardrailDraft) {
  return { checks: checksIn(checks), action, timeout_ms: numberIn(timeoutMs) }
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
