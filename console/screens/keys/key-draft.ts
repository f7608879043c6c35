import type { CreateBudgetRequest } from '../../../src/contract/admin/limits.ts'
import type { CreateKeyRequest } from '../../../src/contract/admin/keys.ts'
import type { Endpoint } from '../../parts/endpoints.ts'
import { wordsIn } from '../../parts/fields.tsx'
import { DAY_MS } from '../../../src/base/units/units.ts'

export const BUDGET_WINDOWS = { day: 'Day', week: 'Week', month: 'Month', total: 'Total (never resets)' }
export type BudgetWindow = keyof typeof BUDGET_WINDOWS

/** What the person has chosen so far. Nothing chosen means no restriction. */
export type KeyDraft = {
  name: string
  project: string
  kind: 'live' | 'sandbox'
  region: '' | 'global' | 'eu' | 'us'
  days: number
  endpoints: readonly Endpoint[]
  models: string
  ips: string
  /** USD; empty for no budget. */
  budget: string
  budgetWindow: BudgetWindow
}

export type FieldsProps = { draft: KeyDraft; set: (changes: Partial<KeyDraft>) => void }

export const EMPTY_KEY: KeyDraft = {
  name: '',
  project: '',
  kind: 'live',
  region: '',
  days: 0,
  endpoints: [],
  models: '',
  ips: '',
  budget: '',
  budgetWindow: 'month',
}

/** As the API wants it: what does not restrict is left out. */
export function requestOf(draft: KeyDraft): CreateKeyRequest {
  const { name, kind, project, region, days } = draft
  const [scopes, ips] = [scopesOf(draft), wordsIn(draft.ips)]
  return {
    name,
    kind,
    ...(project && { project }),
    ...(region && { region }),
    ...(scopes.length > 0 && { scopes }),
    ...(ips.length > 0 && { allowed_ips: ips }),
    ...(days > 0 && { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() }),
  }
}

/** The budget of a new key, if one is wanted. */
export function budgetOf({ name, budget, budgetWindow }: KeyDraft, id: string): CreateBudgetRequest | undefined {
  if (budget.trim() === '') return undefined
  return { name, applies_to: `key:${id}`, limit: Number(budget), window: budgetWindow }
}

function scopesOf({ endpoints, models }: KeyDraft): string[] {
  return [...endpoints, ...wordsIn(models).map((pattern) => `model:${pattern}`)]
}
