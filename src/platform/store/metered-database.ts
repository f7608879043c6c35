import { type Database, StoreUnavailable } from './database.ts'

/** Where the times and failures of questions are counted. */
type StoreMeter = {
  answered(operation: Operation, seconds: number): void
  failed(reason: 'unavailable' | 'refused'): void
}

type Operation = 'query' | 'report' | 'transaction'

/** The same database, with a count of everything that it is asked. */
export function meteredDatabase(db: Database, meter: StoreMeter): Database & { readonly inProgress: number } {
  let inProgress = 0
  return {
    kind: db.kind,
    query: (sql, values) => measured('query', () => db.query(sql, values)),
    report: (sql, values) => measured('report', () => db.report(sql, values)),
    transaction: (statements, options) => measured('transaction', () => db.transaction(statements, options)),
    close: () => db.close(),
    get waiting() {
      return db.waiting ?? 0
    },
    get inProgress() {
      return inProgress
    },
  }

  async function measured<Answer>(operation: Operation, ask: () => Promise<Answer>): Promise<Answer> {
    const begun = performance.now()
    inProgress++
    try {
      return await ask()
    } catch (error) {
      meter.failed(error instanceof StoreUnavailable ? 'unavailable' : 'refused')
      throw error
    } finally {
      inProgress--
      meter.answered(operation, (performance.now() - begun) / 1000)
    }
  }
}
