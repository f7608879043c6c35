import { createHash } from 'node:crypto'
import type { Static } from '../../../base/schema/type.ts'
import type { Loc } from '../../../base/schema/issue-messages.ts'
import type { JsonSchema } from '../../../base/schema/json-schema.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import { issues } from '../../../base/schema/validation-issues.ts'
import { CreateGuardrailRequest } from '../../../contract/admin/guardrails.ts'
import { CHECKS } from '../../../translation/guardrails/checks.ts'
import { GUARDRAIL_HOLDERS, type Guardrail, type GuardrailCheck, type GuardrailHolder } from './guardrail.ts'

// A guardrail as operators write it, in the spelling of the admin API. The config file has other spellings of the names.

/** An entry with an id. A member that is null is absent. */
export type GuardrailEntry = Static<typeof CreateGuardrailRequest> & { id: string }

const DEFAULT_TIMEOUT_MS = 3_000
const ID = /^[A-Za-z0-9][\w.-]*$/
const VERSION_CHARS = 22

/** The guardrail that an entry describes, or everything that is wrong with it. `loc`: where the entry stands. */
export function guardrailOf(value: unknown, ownedBy: Guardrail['ownedBy'], loc: Loc): Guardrail | ValidationIssue[] {
  const wrong = issues(CreateGuardrailRequest as JsonSchema, value, loc)
  if (wrong.length > 0) return wrong
  const entry = value as GuardrailEntry
  const faults = faultsOf(entry, loc)
  if (faults.length > 0) return faults
  const { id, action, mode, phases, timeout_ms, sample, respond } = entry
  const checks = checksOf(entry)
  const own = {
    phases: phases ?? (['input', 'output'] as const),
    checks,
    action,
    onError: entry.on_error ?? (action === 'flag' ? 'open' : 'closed'),
    timeoutMs: timeout_ms ?? DEFAULT_TIMEOUT_MS,
    mode: mode ?? 'enforce',
  } as const
  return {
    id,
    name: entry.name ?? null,
    ownedBy,
    appliesTo: holderOf(entry.applies_to)!,
    models: entry.models ?? null,
    endpoints: entry.endpoints ?? null,
    ...own,
    sample: sample ?? 1,
    respond: respond ?? 'error',
    message: entry.message ?? null,
    version: createHash('sha256')
      .update(JSON.stringify([id, own]))
      .digest('base64url')
      .slice(0, VERSION_CHARS),
  }
}

/** `all`, or a holder and its id: `project:research`. */
function holderOf(text: string): GuardrailHolder | undefined {
  if (text === 'all') return { holder: 'all', id: null }
  const colon = text.indexOf(':')
  const holder = GUARDRAIL_HOLDERS.find((one) => one !== 'all' && one === text.slice(0, colon))
  const id = text.slice(colon + 1)
  return holder && id !== '' ? { holder, id } : undefined
}

function checksOf({ checks }: Pick<GuardrailEntry, 'checks'>): GuardrailCheck[] {
  return checks.map(({ check, ...params }) => {
    const given = Object.entries(params).filter(([, param]) => param !== null)
    return { name: check as GuardrailCheck['name'], params: Object.fromEntries(given) }
  })
}

function faultsOf(entry: GuardrailEntry, loc: Loc): ValidationIssue[] {
  const fault = (member: string, msg: string): ValidationIssue => ({ loc: [...loc, member], msg, type: 'value_error' })
  return [
    ...(ID.test(entry.id) ? [] : [fault('id', 'should be letters, digits, dots, dashes and underscores')]),
    ...(holderOf(entry.applies_to)
      ? []
      : [fault('applies_to', 'should be all, organization:<id>, project:<id> or key:<id>')]),
    ...checkIssues(entry, [...loc, 'checks']),
  ]
}

/** What is wrong with the parameters of checks. */
function checkIssues({ checks }: Pick<GuardrailEntry, 'checks'>, loc: Loc): ValidationIssue[] {
  return checksOf({ checks }).flatMap(({ name, params }, index) => {
    const check = CHECKS[name]
    const at = [...loc, index]
    const found = issues(check.params as JsonSchema, params, at)
    return found.length > 0 ? found : (check.rules?.(params, at) ?? [])
  })
}
