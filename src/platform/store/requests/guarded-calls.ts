import { DAY_MS } from '../../../base/units/units.ts'
import { conditions } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import { beginningOfRun, readGuardrailRuns, type StoredGuardrailRun } from '../ledger/guardrail-runs.ts'
import { addFilter, type LineFilter } from '../ledger/line-filter.ts'
import type { Range } from '../ledger/split-range.ts'
import { newestLines } from './find-requests.ts'

/** Calls of a day (in UTC) with which a guardrail did the same. `runs` has also those of other guardrails. */
export type GuardedCalls = { at: number; runs: readonly StoredGuardrailRun[]; calls: number }

type Question = Range & { guardrail: string; filter: LineFilter; maxLines: number }

/** What a guardrail did, of the newest lines. `from`: where the lines that were looked at begin. */
export async function countGuarded(
  db: Database,
  question: Question,
): Promise<{ from: number; guarded: GuardedCalls[] }> {
  const { guardrail, maxLines, ...range } = question
  const values: Value[] = [beginningOfRun(guardrail), JSON.stringify(guardrail)]
  const { sql: newest, others } = newestLines(db, { ...range, limit: maxLines }, values)
  const where = conditions(values)
  addFilter(where, others, db.kind)
  const contains = db.kind === 'postgres' ? 'strpos' : 'instr'
  const sql = `SELECT day, runs, COUNT(*) AS calls FROM (
      SELECT at / ${DAY_MS} AS day, CASE WHEN ${contains}(guardrails, $1) > 0 THEN guardrails END AS runs,
        ${contains}(guardrails_passed, $2) > 0 AS passed
      FROM (${newest}) AS usage ${where.where()}) AS guarded
    WHERE runs IS NOT NULL OR passed GROUP BY day, runs ORDER BY day`
  const rows = await db.report<{ day: number; runs: string | null; calls: number }>(sql, values)
  const guarded = rows.map(({ day, runs, calls }) => {
    return { at: Number(day) * DAY_MS, runs: readGuardrailRuns(runs), calls: Number(calls) }
  })
  return { from: await lookedBackTo(db, question), guarded }
}

async function lookedBackTo(db: Database, { guardrail: _, maxLines, ...range }: Question): Promise<number> {
  const values: Value[] = []
  const { sql: newest } = newestLines(db, { ...range, limit: maxLines }, values)
  const sql = `SELECT COUNT(*) AS lines, MIN(at) AS oldest FROM (${newest}) AS usage`
  const [row] = await db.report<{ lines: number; oldest: number | null }>(sql, values)
  return Number(row!.lines) < maxLines ? range.from : Number(row!.oldest)
}
