import type { CheckName } from '../../../contract/admin/guardrails.ts'
import type { ENDPOINT_SCOPES } from '../../../contract/admin/policy.ts'
import type { GuardPhase } from '../../../translation/guardrails/check.ts'

/** What operators demand of calls, whatever the callers ask for. All guardrails that apply to a call hold. */
export type Guardrail = {
  id: string
  /** What people call it; null if it has only its id. */
  name: string | null
  ownedBy: 'file' | 'api'
  appliesTo: GuardrailHolder
  /** Restrictions: patterns of model names, and endpoints. Null if there is none. */
  models: readonly string[] | null
  endpoints: readonly (typeof ENDPOINT_SCOPES)[number][] | null
  phases: readonly GuardPhase[]
  checks: readonly GuardrailCheck[]
  action: 'flag' | 'redact' | 'block'
  onError: 'open' | 'closed'
  timeoutMs: number
  /** The fraction of calls that is checked. */
  sample: number
  /** A shadow guardrail reports what it finds, and changes and refuses nothing. */
  mode: 'enforce' | 'shadow'
  respond: 'error' | 'message'
  /** What the caller is told when it blocks; null for our own words. */
  message: string | null
  /** Differs if anything that decides about a text differs. */
  version: string
}

export const GUARDRAIL_HOLDERS = ['all', 'organization', 'project', 'key'] as const
export type GuardrailHolder = { holder: (typeof GUARDRAIL_HOLDERS)[number]; id: string | null }

export type GuardrailCheck = { name: CheckName; params: Readonly<Record<string, unknown>> }
