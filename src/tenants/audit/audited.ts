import { appendRow, auditLock } from '../../platform/store/audit/append.ts'
import type { Database, Statement } from '../../platform/store/database.ts'
import { newRow } from './audit-text.ts'
import type { AuditEvent, Author } from './author.ts'

/**
 * The store for one change: each change that is written through it is in the audit log too, in the same transaction, or
 * neither is. A change that finds nothing to change leaves no trace: a single statement has to change something, and in a
 * transaction the statements that are `required`.
 */
export function audited(db: Database, author: Author, ...events: readonly AuditEvent[]): Database {
  const { lock: first, rows: last } = auditStatements(db, author, ...events)
  return {
    kind: db.kind,
    close: () => Promise.reject(new Error('Only the owner of a database closes it.')),
    report: (sql, values) => db.report(sql, values),
    query: async <Row>(sql: string, values?: Statement['values']) => {
      if (isRead(sql)) return await db.query<Row>(sql, values)
      return (await run([{ sql, values, required: true }]))[0]!.rows as Row[]
    },
    transaction: (statements) => run(statements),
  }

  async function run(statements: readonly Statement[]) {
    const results = await db.transaction([...first, ...statements, ...last])
    return results.slice(first.length, first.length + statements.length)
  }
}

/** For what changes nothing else: sign-ins, refusals, exports, reads. */
export async function writeAuditEvents(db: Database, author: Author, ...events: readonly AuditEvent[]): Promise<void> {
  const { lock, rows } = auditStatements(db, author, ...events)
  await db.transaction([...lock, ...rows])
}

/** The first and the last statements of a transaction that is in the audit log. */
export function auditStatements(db: Database, author: Author, ...events: readonly AuditEvent[]) {
  return { lock: auditLock(db), rows: events.map((event) => appendRow(newRow(author, event))) }
}

function isRead(sql: string): boolean {
  return /^\s*select\b/i.test(sql)
}
