import type { Database } from '../../src/platform/store/database.ts'
import { DAY_MS } from '../../src/base/units/units.ts'

// A ledger as a busy month leaves it, written in one statement. Of each thing there is a rare value, in the third line only, one
// that was in the other old lines, up to a third of all, and not since then, and a frequent one, which is in all newer lines.

export const MONTH_MS = 30 * DAY_MS
const RARE = 3

const COLUMNS = `id, at, key_id, owner_kind, owner_id, endpoint, model, provider, status, code, stream, attempts, prompt_tokens, cached_tokens,
  cache_write_tokens, completion_tokens, reasoning_tokens, cost_nanos, estimated, duration_ms, organization, project, user_id,
  end_user, tags, requested_model, detail, guardrails`

const DETAIL = `'{"a":[["m2",null,null,"server_error",500,"up-' || n || '",1,2,3,"it failed"],[null,null,null,"answered",200,"up-' || n || '-2",1,2,3,null]]}'`

const VALUES = `'line-' || n, $1 - (${MONTH_MS} / $2) * ($2 - n), ${either('key')}, 'project', ${either('project')}, ${either('endpoint')},
  ${either('model')}, ${either('provider')},
  CASE WHEN n = ${RARE} THEN 418 WHEN n % 100 = 0 THEN 500 ELSE 200 END,
  CASE WHEN n = ${RARE} THEN 'rare' WHEN n % 100 = 0 THEN 'upstream_error' END, 0, CASE WHEN n % 50 = 0 THEN 2 ELSE 1 END,
  100, 0, 0, 50, 0, CASE WHEN n = ${RARE} THEN 5000000000 ELSE 1000000 END, 0, CASE WHEN n = ${RARE} THEN 90000 ELSE 900 END,
  ${either('organization')}, ${either('project')}, ${either('user')}, ${either('end_user')},
  CASE WHEN n = ${RARE} THEN '{"team":"rare"}' ELSE '{"team":"frequent","env":"prod"}' END, ${either('requested_model')},
  CASE WHEN n % 50 = 0 OR n = ${RARE} THEN ${DETAIL} END,
  CASE WHEN n = ${RARE} THEN '[["rare","blocked","secrets",1]]' WHEN n % 50 = 0 THEN '[["frequent","flagged","secrets",1]]' END`

const BATCH = 10_000

/** The newest line is at `to`. */
export async function insertManyLines(db: Database, count: number, to: number): Promise<void> {
  for (let first = 1; first <= count; first += BATCH) {
    const last = Math.min(count, first + BATCH - 1)
    await db.transaction([{ sql: sqlFor(db), values: [to, count, first, last] }], { unhurried: true })
  }
  await db.transaction([{ sql: 'ANALYZE usage' }], { unhurried: true })
}

function sqlFor({ kind }: Database): string {
  const series = 'generate_series($3, $4) AS n'
  const recursive =
    '(WITH RECURSIVE numbers(n) AS (SELECT $3 UNION ALL SELECT n + 1 FROM numbers WHERE n < $4) SELECT n FROM numbers)'
  const sql = `INSERT INTO usage (${COLUMNS}) SELECT ${VALUES} FROM ${kind === 'postgres' ? series : recursive}`
  return sql.replace(/\$\d/g, 'CAST($& AS BIGINT)')
}

function either(name: string): string {
  return `CASE WHEN n = ${RARE} THEN 'rare ${name}' WHEN n * 3 <= $2 THEN 'old ${name}' ELSE 'frequent ${name}' END`
}
