import type { Severity } from '../../contract/admin/alert-rules.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import type { ListedCircuit } from '../../calls/attempts/listed-circuit.ts'
import type { Database } from '../../platform/store/database.ts'

/** What a rule sees at this moment about one subject. A subject that it does not mention is in order. */
export type Observation = {
  subject: string
  /** `high`: reason for an alert. `between`: none, but an alert that is open stays open, so that it does not flap. */
  level: 'high' | 'between'
  value: number
  threshold: number
  /** One sentence for people, with names and without secrets. */
  summary: string
  /** If it is not that of the rule. */
  severity?: Severity | undefined
  project?: string | null | undefined
  details: Readonly<Record<string, unknown>>
}

/** What the rules look at. */
export type Looking = {
  db: Database
  now: number
  /** When the last look was, by whichever process; undefined if this is the first one. */
  lookedAt: number | undefined
  /** Of the rule, or as the config file changes it. */
  threshold: number
  circuits(): readonly ListedCircuit[]
  limits: readonly Limit[]
  guardrails(): readonly Guardrail[]
}

export type Look = (looking: Looking) => Promise<Observation[]>

/** An alert is over when the value is below this part of its threshold. */
export const OVER_BELOW = 0.8

/** Undefined if the value is in order. */
export function levelOf(value: number, threshold: number): Observation['level'] | undefined {
  if (value >= threshold) return 'high'
  return value >= threshold * OVER_BELOW ? 'between' : undefined
}

/** The one subject of rules that look at the whole installation. */
export const INSTALLATION = 'installation'
