import { problem } from '../../../contract/problems.ts'
import { conditions } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import type { NewAuditRow } from './append.ts'

export type AuditRow = Omit<NewAuditRow, 'text'> & { seq: number; at: number; prev: string; hash: string }

export type AuditFilter = {
  actor?: string | undefined
  action?: string | undefined
  object?: string | undefined
  from?: number | undefined
  to?: number | undefined
}

const COLUMNS = 'seq, at, actor, via, action, object, before, after, ip, request, prev, hash'

/** Newest first. `cursor` is the number of the last row of the page before. */
export async function listAudit(
  db: Database,
  { limit, cursor, ...filter }: AuditFilter & { limit: number; cursor?: string | undefined },
): Promise<{ rows: AuditRow[]; nextCursor: string | null }> {
  const values: Value[] = [limit + 1]
  const list = conditions(values)
  if (cursor !== undefined) list.add('seq < ?', [readSeq(cursor)])
  addFilter(list, filter)
  const sql = `SELECT ${COLUMNS} FROM audit ${list.where()} ORDER BY seq DESC LIMIT $1`
  const found = await db.report<AuditRow>(sql, values)
  const rows = found.slice(0, limit)
  return { rows, nextCursor: found.length > limit ? String(rows.at(-1)!.seq) : null }
}

/** All rows, oldest first, in pages. */
export async function* auditPages(db: Database, filter: AuditFilter = {}, size = 1_000): AsyncGenerator<AuditRow[]> {
  for (let last = 0; ; ) {
    const values: Value[] = [size]
    const list = conditions(values)
    list.add('seq > ?', [last])
    addFilter(list, filter)
    const page = await db.report<AuditRow>(`SELECT ${COLUMNS} FROM audit ${list.where()} ORDER BY seq LIMIT $1`, values)
    if (page.length > 0) yield page
    if (page.length < size) return
    last = page.at(-1)!.seq
  }
}

export async function auditHead(db: Database): Promise<{ seq: number; hash: string } | undefined> {
  return (await db.query<{ seq: number; hash: string }>('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1'))[0]
}

function addFilter(list: ReturnType<typeof conditions>, { actor, action, object, from, to }: AuditFilter): void {
  if (actor !== undefined) list.add('actor = ?', [actor])
  if (action !== undefined) list.add('action = ?', [action])
  if (object !== undefined) list.add('object = ?', [object])
  if (from !== undefined) list.add('at >= ?', [from])
  if (to !== undefined) list.add('at < ?', [to])
}

function readSeq(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  const msg = 'Value error, this cursor does not belong to this list'
  throw problem('validation_error', {
    param: 'cursor',
    detail: [{ loc: ['query', 'cursor'], msg, type: 'value_error' }],
  })
}
