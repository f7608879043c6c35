import type { Database } from '../database.ts'
import { KEY_COLUMNS, type KeyRow, type StoredKey, toKey } from './keys.ts'

// Which keys were changed after their creation. On SQLite, changes are numbered in the order of their commits. PostgreSQL
// runs transactions side by side, and one that began early may commit late: there a change carries the number of its
// transaction, and a marker is a snapshot, which says exactly which transactions had been committed.

/** A moment in the history of the store. */
export type KeyMarker = string

const PAGE_ROWS = 500

/** What the project of the keys of the environment says. */
export type DefaultProject = { organization: string; region: string | null; policy: string | null }

/** The marker of now, whether there are keys that another gateway has made, and the project of keys that are not in the store. */
type KeyState = { marker: KeyMarker; hasImported: boolean; project: DefaultProject | undefined }

/** Take the marker first and read keys afterwards: then every change that was missed comes after the marker. */
export async function currentState(db: Database): Promise<KeyState> {
  const marker =
    db.kind === 'postgres'
      ? 'CAST(pg_current_snapshot() AS TEXT)'
      : '(SELECT CAST(COALESCE(MAX(change), 0) AS TEXT) FROM keys WHERE change IS NOT NULL)'
  const imported = 'EXISTS (SELECT 1 FROM keys WHERE imported_from IS NOT NULL)'
  const sql = `SELECT ${marker} AS marker, CASE WHEN ${imported} THEN 1 ELSE 0 END AS imported, organization, region, policy
    FROM (SELECT 1 AS one) AS always LEFT JOIN projects ON projects.id = 'default'`
  const row = (await db.query<StateRow>(sql))[0]!
  const { organization, region, policy } = row
  const project = organization === null ? undefined : { organization, region, policy }
  return { marker: row.marker, hasImported: row.imported === 1, project }
}

type StateRow = {
  marker: KeyMarker
  imported: number
  organization: string | null
  region: string | null
  policy: string | null
}

/**
 * Whether the store was replaced, for example by an older backup. Then the changes since a marker say nothing about what
 * was read before.
 */
export function isOtherHistory(since: KeyMarker, until: KeyMarker): boolean {
  return rangeOf(until).end < rangeOf(since).begin
}

/** The changes between two markers, in short pages. A change may come more than once, but none is left out. */
export async function* changedKeys(db: Database, since: KeyMarker, until: KeyMarker): AsyncGenerator<StoredKey[]> {
  if (since === until) return
  for (let last: ChangedRow | undefined; ; ) {
    const page: ChangedRow[] = await readPage(db, { since, until, last })
    if (page.length > 0) yield page.map(({ change, ...row }) => toKey(row))
    if (page.length < PAGE_ROWS) return
    last = page.at(-1)
  }
}

type ChangedRow = KeyRow & { change: number }
type Position = { since: KeyMarker; until: KeyMarker; last: ChangedRow | undefined }

function readPage(db: Database, { since, until, last }: Position): Promise<ChangedRow[]> {
  const postgres = db.kind === 'postgres'
  const isNew = postgres
    ? 'AND NOT pg_visible_in_snapshot(CAST(CAST(change AS TEXT) AS xid8), CAST($5 AS pg_snapshot))'
    : ''
  const sql = `SELECT ${KEY_COLUMNS}, change FROM keys
    WHERE change >= $1 AND change < $2 AND (change, id) > ($3, $4) ${isNew}
    ORDER BY change, id LIMIT ${PAGE_ROWS}`
  const { begin } = rangeOf(since)
  const values = [begin, rangeOf(until).end, last?.change ?? begin - 1, last?.id ?? '']
  return db.query<ChangedRow>(sql, postgres ? [...values, since] : values)
}

/**
 * Changes below `begin` had been committed at the marker, and those from `end` on had not. A snapshot is written
 * `begin:end:transactions that were running in between`.
 */
function rangeOf(marker: KeyMarker): { begin: number; end: number } {
  const [begin, end] = marker.split(':').map(Number)
  return end === undefined ? { begin: begin! + 1, end: begin! + 1 } : { begin: begin!, end }
}
