import type { Database, Statement } from '../database.ts'
import { noteExpiry } from './expire-lines.ts'

// On PostgreSQL the ledger has a partition for each month in UTC, such as `usage_2026_11`. Removing a month is then one
// short statement. Lines of a month without a partition are in `usage_other` until the partition is created.

const MONTHS_AHEAD = 2
/** Who waits for a lock of the whole ledger holds up everybody who comes after, so such a wait is short. */
const LOCK_TIMEOUT: Statement = { sql: "SET LOCAL lock_timeout = '1s'" }

/** Creates the partitions of this month and the next ones. */
export async function createPartitions(db: Database, now: number): Promise<void> {
  const present = new Set(await partitionsOf(db))
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const month = monthOf(now, ahead)
    if (!present.has(month.name)) await db.transaction([LOCK_TIMEOUT, ...createPartition(month)])
  }
}

/**
 * Drops the partitions whose lines are all older than this, and returns their names. One with lines that are not rolled up
 * yet stays for now. The lock, which dropping a partition needs anyway, makes sure that none is being inserted.
 */
export async function dropPartitions(db: Database, before: number): Promise<string[]> {
  const dropped: string[] = []
  for (const name of (await partitionsOf(db)).sort()) {
    const end = endOf(name)
    if (end > before) continue
    const drop = [
      { sql: 'LOCK TABLE ONLY usage' },
      isRolledUpBefore(end),
      noteExpiry(end),
      { sql: `DROP TABLE ${name}` },
    ]
    const results = await db.transaction([LOCK_TIMEOUT, ...drop])
    if (results.length > drop.length) dropped.push(name)
  }
  return dropped
}

/** Has a row unless a line before this time may not be rolled up yet. */
function isRolledUpBefore(time: number): Statement {
  const sql = 'SELECT 1 AS rolled_up WHERE NOT EXISTS (SELECT 1 FROM unrolled_batches WHERE first_at < $1)'
  return { sql, values: [time], required: true }
}

type Month = { name: string; from: number; to: number }

/**
 * The partition is filled and attached as a table of its own: unlike `CREATE TABLE … PARTITION OF`, that does not lock the
 * other partitions. The ledger is locked while lines move: a report that had looked up the partitions before would find these
 * lines neither here nor there.
 */
function createPartition({ name, from, to }: Month): Statement[] {
  const range = `at >= ${from} AND at < ${to}`
  return [
    { sql: `CREATE TABLE ${name} (LIKE usage INCLUDING ALL, CHECK (${range}))` },
    { sql: 'LOCK TABLE ONLY usage' },
    {
      sql: `WITH moved AS (DELETE FROM usage_other WHERE ${range} RETURNING *) INSERT INTO ${name} SELECT * FROM moved`,
    },
    { sql: `ALTER TABLE usage ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})` },
  ]
}

const NAME = /^usage_(\d{4})_(\d{2})$/

async function partitionsOf(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `SELECT CAST(relname AS TEXT) AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE inhparent = CAST('usage' AS regclass)`,
  )
  return rows.map(({ name }) => name).filter((name) => NAME.test(name))
}

function monthOf(time: number, ahead: number): Month {
  const date = new Date(time)
  const from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead)
  const name = `usage_${new Date(from).toISOString().slice(0, 'YYYY-MM'.length).replace('-', '_')}`
  return { name, from, to: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead + 1) }
}

function endOf(name: string): number {
  const [, year, month] = NAME.exec(name)!
  return Date.UTC(Number(year), Number(month))
}
