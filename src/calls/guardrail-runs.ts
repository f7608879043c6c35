import type { StoredGuardrailRun } from '../platform/store/ledger/guardrail-runs.ts'
import type { CallRecord } from './call-record.ts'

/** Checks, and what each of them can do. */
const MAX_RUNS = 64

type Recorded = Pick<CallRecord, 'guardrails'>

/** What guardrails did in a call, for its ledger line. Null for nearly all calls. */
export function guardrailRuns({ guardrails }: Recorded): StoredGuardrailRun[] | null {
  if (guardrails.length === 0) return null
  const done = guardrails.filter(({ outcome }) => outcome !== 'passed').slice(0, MAX_RUNS)
  if (done.length === 0) return null
  return done.map(({ guardrail, outcome, check, count, rules }) => [guardrail, outcome, check, count, ...rules])
}

/** Guardrails that looked at it and found nothing. */
export function passedGuardrails({ guardrails }: Recorded): string[] | null {
  if (guardrails.length === 0) return null
  const busy = new Set(guardrails.flatMap(({ guardrail, outcome }) => (outcome === 'passed' ? [] : guardrail)))
  const passed = guardrails.flatMap(({ guardrail, outcome }) =>
    outcome === 'passed' && !busy.has(guardrail) ? guardrail : [],
  )
  return passed.length > 0 ? passed : null
}
