import type { AlertRule, Severity } from '../../contract/admin/alert-rules.ts'
import type { AlertSettings } from '../../platform/config/alerts/alerts.ts'
import { lookAtErrorRate, lookAtProviders } from './looks/calls.ts'
import { lookAtGuardrailCredentials, lookAtOpenGuardrails } from './looks/guardrails.ts'
import { lookAtKeys } from './looks/keys.ts'
import { lookAtBudgets, lookAtLostLeases, lookAtRateLimits } from './looks/limits.ts'
import { lookAtBacklogs, lookAtCheckpoints, lookAtDeliveries, lookAtJobs } from './looks/work.ts'
import type { Look } from './observation.ts'
import { MINUTE_SECONDS } from '../../base/units/units.ts'

// All rules of alerts. docs/alerts.md shows this table.

type Rule = {
  title: string
  about: string
  severity: Severity
  /** Null if the objects themselves say when they are reason for an alert. */
  threshold: number | null
  /**
   * How long a condition has to last before receivers are told, and how long it has to be over before they are told that it
   * is.
   */
  forSeconds: number
  clearSeconds: number
  /** The audit log says that an alert was opened, too. */
  isAudited?: true
  look: Look
}

export const RULES: Readonly<Record<AlertRule, Rule>> = {
  error_rate: {
    title: 'Error rate',
    about:
      'The share of the calls of the last 5 minutes that the gateway or a provider could not answer (only from 20 calls on).',
    severity: 'critical',
    threshold: 0.1,
    forSeconds: 2 * MINUTE_SECONDS,
    clearSeconds: 5 * MINUTE_SECONDS,
    look: lookAtErrorRate,
  },
  provider_down: {
    title: 'Provider down',
    about: 'How many models of a provider are paused after repeated failures (open circuits).',
    severity: 'error',
    threshold: 1,
    forSeconds: MINUTE_SECONDS,
    clearSeconds: 5 * MINUTE_SECONDS,
    look: lookAtProviders,
  },
  budget: {
    title: 'Budget',
    about: 'A budget has reached one of its alert fractions (`alerts`).',
    severity: 'warning',
    threshold: null,
    forSeconds: 0,
    clearSeconds: 0,
    look: lookAtBudgets,
  },
  rate_limit: {
    title: 'Rate limit',
    about: 'A rate limit has reached one of its alert fractions (`alerts`).',
    severity: 'warning',
    threshold: null,
    forSeconds: 0,
    clearSeconds: 5 * MINUTE_SECONDS,
    look: lookAtRateLimits,
  },
  ledger_backlog: {
    title: 'Ledger backlog',
    about: 'Ledger lines of a process that are not in the store yet.',
    severity: 'error',
    threshold: 10_000,
    forSeconds: 2 * MINUTE_SECONDS,
    clearSeconds: 5 * MINUTE_SECONDS,
    look: lookAtBacklogs,
  },
  failed_jobs: {
    title: 'Failed jobs',
    about: 'Jobs that failed in the last 15 minutes.',
    severity: 'warning',
    threshold: 10,
    forSeconds: 0,
    clearSeconds: 5 * MINUTE_SECONDS,
    look: lookAtJobs,
  },
  failed_deliveries: {
    title: 'Failed webhooks',
    about: 'Webhooks of jobs that failed for good in the last hour.',
    severity: 'warning',
    threshold: 5,
    forSeconds: 0,
    clearSeconds: 5 * MINUTE_SECONDS,
    look: lookAtDeliveries,
  },
  expiring_keys: {
    title: 'Expiring key',
    about: 'API keys that expire within this number of days, except keys that were created for a shorter time.',
    severity: 'warning',
    threshold: 7,
    forSeconds: 0,
    clearSeconds: 0,
    look: lookAtKeys,
  },
  audit_checkpoints: {
    title: 'Audit checkpoints',
    about: 'Hours for which rows of the audit log have been without a checkpoint. A checkpoint is due after an hour.',
    severity: 'error',
    threshold: 2,
    forSeconds: 0,
    clearSeconds: 0,
    look: lookAtCheckpoints,
  },
  lost_leases: {
    title: 'Lost lease',
    about: 'A process died and held a part of a budget or rate limit. The part stays reserved until you release it.',
    severity: 'warning',
    threshold: null,
    forSeconds: 0,
    clearSeconds: 0,
    isAudited: true,
    look: lookAtLostLeases,
  },
  guardrail_open: {
    title: 'Guardrail open',
    about:
      'Calls of the last 5 minutes that passed an enforcing guardrail although a check of it failed (`onError` is `open`).',
    severity: 'error',
    threshold: 1,
    forSeconds: 0,
    clearSeconds: 5 * MINUTE_SECONDS,
    look: lookAtOpenGuardrails,
  },
  guardrail_credentials: {
    title: 'Guardrail credentials',
    about:
      'Calls of the last 5 minutes that a guardrail could not check because the credentials of a check are wrong. It refuses calls, unless it is in shadow mode.',
    severity: 'error',
    threshold: 1,
    forSeconds: 0,
    clearSeconds: 5 * MINUTE_SECONDS,
    look: lookAtGuardrailCredentials,
  },
}

/** A rule as the config file changes it. */
export type ActiveRule = Rule & { id: AlertRule; isOn: boolean }

export function activeRules({ rules }: AlertSettings): ActiveRule[] {
  return (Object.keys(RULES) as AlertRule[]).map((id) => {
    const rule = RULES[id]
    const { on = true, threshold = rule.threshold, for: forSeconds = rule.forSeconds } = rules[id] ?? {}
    return { ...rule, id, isOn: on, threshold, forSeconds }
  })
}
