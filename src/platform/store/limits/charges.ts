import type { Statement } from '../database.ts'

// A ledger line says which windows of limits it is charged to, and in the transaction that inserts the line these windows and
// the lease of the process that did the call are settled. A line that is inserted twice is settled once.

/** Limit, bucket, start of the window, amount, and the process whose lease covers it. */
export type Charge = readonly [limit: string, bucket: string, start: number, amount: number, processName: string]

/** A million dollars in billionths, for one call. What is more is a mistake in a price. */
const MAX_CHARGE = 1e15
/** What is spent of a window stops here: the next integers are not exact, and soon no column would take the sum. */
const MAX_SPENT = 9e15

/** The amount as an integer that every store takes. */
export function chargeable(amount: number): number {
  return Number.isNaN(amount) ? 0 : Math.max(0, Math.min(Math.round(amount), MAX_CHARGE))
}

/**
 * For PostgreSQL: parts of the statement that inserts lines, whose new lines are called `inserted`. Windows are locked in the
 * order of their keys and before leases, as everywhere, so that transactions do not deadlock.
 */
export const SETTLE_INSERTED = `, charged AS (
    SELECT charge->>0 AS limit_id, charge->>1 AS bucket, CAST(charge->>2 AS BIGINT) AS window_start,
      charge->>4 AS holder, CAST(LEAST(SUM(CAST(charge->>3 AS BIGINT)), ${MAX_SPENT}) AS BIGINT) AS amount
    FROM inserted, json_array_elements(CAST(inserted.charges AS JSON)) AS charge GROUP BY 1, 2, 3, 4
  ), settled_windows AS (
    INSERT INTO limit_windows (limit_id, bucket, window_start, spent, forgiven, changes)
    SELECT limit_id, bucket, window_start, CAST(LEAST(SUM(amount), ${MAX_SPENT}) AS BIGINT), 0, 0 FROM charged
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (limit_id, bucket, window_start) DO UPDATE
      SET spent = LEAST(limit_windows.spent + excluded.spent, ${MAX_SPENT})
    RETURNING 1
  ), settled_leases AS (
    UPDATE limit_leases SET granted = CASE WHEN limit_leases.granted > charged.amount
      THEN limit_leases.granted - charged.amount ELSE 0 END
    FROM charged WHERE (SELECT COUNT(*) FROM settled_windows) > 0 AND limit_leases.limit_id = charged.limit_id
      AND limit_leases.bucket = charged.bucket AND limit_leases.window_start = charged.window_start
      AND limit_leases.holder = charged.holder
  )`

/**
 * For SQLite: statements that come after the lines. `isNew` is a condition that is true for new lines. Nearly always all lines of
 * a batch are new, and what they are charged is added up here, because SQLite takes far longer to read it from the lines.
 */
export function settleNewLines(isNew: string): (batch: readonly (readonly Charge[] | null)[]) => Statement[] {
  const count = `(SELECT COUNT(*) FROM usage WHERE ${isNew})`
  const ofBatch = settlements(`json_each($1) AS charge WHERE ${count} = $2`)
  const ofLines = settlements(
    `usage, json_each(usage.charges) AS charge WHERE ${count} <> $1 AND ${isNew} AND usage.charges IS NOT NULL`,
  )
  return (batch) => {
    const charges = JSON.stringify(summed(batch))
    return [
      ...ofBatch.map((sql) => ({ sql, values: [charges, batch.length] })),
      ...ofLines.map((sql) => ({ sql, values: [batch.length] })),
    ]
  }
}

/** What is spent of windows, then what is left of leases. */
function settlements(source: string): string[] {
  const each = `SELECT json_extract(charge.value, '$[0]') AS limit_id, json_extract(charge.value, '$[1]') AS bucket,
      json_extract(charge.value, '$[2]') AS window_start, json_extract(charge.value, '$[4]') AS holder,
      CAST(MIN(TOTAL(json_extract(charge.value, '$[3]')), ${MAX_SPENT}) AS INTEGER) AS amount
    FROM ${source} GROUP BY 1, 2, 3, 4`
  return [
    `INSERT INTO limit_windows (limit_id, bucket, window_start, spent, forgiven, changes)
      SELECT limit_id, bucket, window_start, CAST(MIN(TOTAL(amount), ${MAX_SPENT}) AS INTEGER), 0, 0
      FROM (${each}) WHERE true GROUP BY 1, 2, 3
      ON CONFLICT (limit_id, bucket, window_start) DO UPDATE
        SET spent = MIN(limit_windows.spent + excluded.spent, ${MAX_SPENT})`,
    `UPDATE limit_leases SET granted = CASE WHEN limit_leases.granted > charged.amount
        THEN limit_leases.granted - charged.amount ELSE 0 END
      FROM (${each}) AS charged WHERE limit_leases.limit_id = charged.limit_id AND limit_leases.bucket = charged.bucket
        AND limit_leases.window_start = charged.window_start AND limit_leases.holder = charged.holder`,
  ]
}

/** A charge that grows. */
type Sum = [...Charge]

/** The charges of all lines, added up for each window and process. */
function summed(batch: readonly (readonly Charge[] | null)[]): Charge[] {
  const sums = new Map<string, Map<string, Sum[]>>()
  for (const charges of batch) for (const charge of charges ?? []) addTo(sums, charge)
  return [...sums.values()].flatMap((ofLimit) => [...ofLimit.values()].flat())
}

/** A bucket has one or two windows in a batch, so they are not in a map: making a key of all four members takes far longer. */
function addTo(sums: Map<string, Map<string, Sum[]>>, charge: Charge): void {
  const [limit, bucket, start, amount, processName] = charge
  const ofLimit = sums.get(limit) ?? new Map<string, Sum[]>()
  const ofBucket = ofLimit.get(bucket) ?? []
  const sum = ofBucket.find((one) => one[2] === start && one[4] === processName)
  if (sum) {
    sum[3] = Math.min(sum[3] + amount, MAX_SPENT)
    return
  }
  ofBucket.push([limit, bucket, start, amount, processName])
  sums.set(limit, ofLimit.set(bucket, ofBucket))
}
