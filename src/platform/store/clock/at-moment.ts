import type { Database, Statement } from '../database.ts'

/** The store as it would be at another moment of the wall clock: all rows that are written through it have that time. */
export function atMoment(db: Database, at: number): Database {
  const moment = `CAST(${Math.round(at)} AS BIGINT)`
  const moved = (sql: string) => sql.replaceAll('now_ms()', moment)
  return {
    kind: db.kind,
    close: () => Promise.reject(new Error('Only the owner of a database closes it.')),
    report: (sql, values) => db.report(moved(sql), values),
    query: (sql, values) => db.query(moved(sql), values),
    transaction: (statements, options) =>
      db.transaction(
        statements.map((statement): Statement => ({ ...statement, sql: moved(statement.sql) })),
        options,
      ),
  }
}
