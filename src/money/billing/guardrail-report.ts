import type { GuardrailReport } from '../../contract/admin/guardrails.ts'
import { GUARDRAIL_OUTCOMES, type GuardrailOutcome } from '../../contract/admin/line-filters.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { Database } from '../../platform/store/database.ts'
import { completeFrom } from '../../platform/store/ledger/expire-lines.ts'
import type { LineFilter } from '../../platform/store/ledger/line-filter.ts'
import { countGuarded, type GuardedCalls } from '../../platform/store/requests/guarded-calls.ts'
import type { Ledger } from './ledger.ts'

// What a guardrail did with calls, or would have done in shadow mode, from the lines of the ledger.

/** An operator waits for the answer. */
const MAX_LINES = 100_000
const MAX_FOUND = 100
const DATE_CHARS = 10

type Services = { ledger: Pick<Ledger, 'flush'>; db: Database; maxLines?: number | undefined }
type Counts = Record<GuardrailOutcome, number>
type Day = Counts & { day: string; calls: number }
type Found = GuardrailReport['found'][number]

export async function reportGuardrail(
  guardrail: Pick<Guardrail, 'id' | 'appliesTo'>,
  { from, to }: { from: number; to: number },
  { ledger, db, maxLines = MAX_LINES }: Services,
): Promise<GuardrailReport> {
  await ledger.flush()
  const { id } = guardrail
  const counted = await countGuarded(db, { from, to, guardrail: id, filter: holderOf(guardrail), maxLines })
  const begin = Math.max(counted.from, await completeFrom(db))
  return {
    guardrail: id,
    from: new Date(begin).toISOString(),
    to: new Date(to).toISOString(),
    is_complete: begin <= from,
    days: daysOf(counted.guarded, id),
    found: foundIn(counted.guarded, id),
  }
}

/** What applied to others before says nothing to those who may see what applies now. */
function holderOf({ appliesTo: { holder, id } }: Pick<Guardrail, 'appliesTo'>): LineFilter {
  return holder === 'all' || id === null ? {} : { [holder]: id }
}

function daysOf(guarded: readonly GuardedCalls[], id: string): Day[] {
  const days = new Map<number, Day>()
  for (const { at, runs, calls } of guarded) {
    const day = days.get(at) ?? { day: new Date(at).toISOString().slice(0, DATE_CHARS), calls: 0, ...NOTHING }
    days.set(at, day)
    const outcomes = new Set(runs.filter(([guardrail]) => guardrail === id).map(([, outcome]) => outcome))
    if (outcomes.size === 0) outcomes.add('passed')
    day.calls += calls
    for (const outcome of GUARDRAIL_OUTCOMES) if (outcomes.has(outcome)) day[outcome] += calls
  }
  return [...days.values()]
}

const NOTHING: Counts = {
  passed: 0,
  flagged: 0,
  redacted: 0,
  blocked: 0,
  unscanned: 0,
  would_redact: 0,
  would_block: 0,
}

function foundIn(guarded: readonly GuardedCalls[], id: string): Found[] {
  const found = new Map<string, Found>()
  for (const { runs, calls } of guarded)
    for (const [guardrail, text, check, , ...rules] of runs) {
      const outcome = GUARDRAIL_OUTCOMES.find((one) => one === text)
      if (guardrail === id && outcome)
        for (const rule of rules) {
          const key = JSON.stringify([check, outcome, rule])
          const known = found.get(key) ?? { check, outcome, rule, calls: 0 }
          found.set(key, { ...known, calls: known.calls + calls })
        }
    }
  return [...found.values()].sort((one, other) => other.calls - one.calls).slice(0, MAX_FOUND)
}
