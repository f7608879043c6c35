import type { AuditEntry, AuditList } from '../../contract/admin/audit.ts'
import { type AuditFilter, type AuditRow, auditPages, listAudit } from '../../platform/store/audit/read.ts'
import type { Database } from '../../platform/store/database.ts'
import type { Author } from './author.ts'
import { writeAuditEvents } from './audited.ts'

/** Reading the log is in the log, too. */
export async function readAudit(
  { limit, cursor, ...filter }: AuditFilter & { limit: number; cursor: string | undefined },
  author: Author,
  db: Database,
): Promise<AuditList> {
  const { rows, nextCursor } = await listAudit(db, { limit, cursor, ...filter })
  await writeAuditEvents(db, author, { action: 'audit.read', object: 'audit', after: shown(filter) })
  return { items: rows.map(entryOf), next_cursor: nextCursor }
}

/** Oldest first, one JSON text on each line. */
export async function exportAudit(filter: AuditFilter, author: Author, db: Database): Promise<AsyncGenerator<string>> {
  await writeAuditEvents(db, author, { action: 'audit.export', object: 'audit', after: shown(filter) })
  return lines(filter, db)
}

async function* lines(filter: AuditFilter, db: Database): AsyncGenerator<string> {
  for await (const page of auditPages(db, filter)) yield page.map((row) => `${JSON.stringify(entryOf(row))}\n`).join('')
}

function shown({ actor, action, object, from, to }: AuditFilter): Record<string, unknown> {
  return { actor, action, object, from, to }
}

function entryOf({ at, before, after, ...row }: AuditRow): AuditEntry {
  return { ...row, at: new Date(at).toISOString(), before: parsed(before), after: parsed(after) }
}

/** A row that was tampered with may hold any text. It is shown as it is. */
function parsed(json: string | null): Record<string, unknown> | null {
  if (json === null) return null
  try {
    return JSON.parse(json)
  } catch {
    return { not_json: json }
  }
}
