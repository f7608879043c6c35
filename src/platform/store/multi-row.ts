import type { Statement, Value } from './database.ts'

// There are only a few sizes, so that each text is prepared once and not once for every number of rows. Larger sizes gain
// nothing with SQLite, and with PostgreSQL the main thread would encode the values of more rows without a pause.
const ROWS_PER_STATEMENT = [100, 10, 1]

type MultiRow<Row> = {
  columns: number
  /** Completes the statement around `($1, $2), ($3, $4)`. */
  sql(tuples: string): string
  /** Appends the values of one row. A single flat list is the cheapest to pass on. */
  append(values: Value[], row: Row): void
}

/** Turns any number of rows into few statements of many rows each. */
export function multiRow<Row>({ columns, sql, append }: MultiRow<Row>): (rows: readonly Row[]) => Statement[] {
  const texts = new Map(ROWS_PER_STATEMENT.map((size) => [size, sql(tuplesOf(size, columns))]))
  return (rows) => {
    const statements: Statement[] = []
    for (let start = 0; start < rows.length; ) {
      const size = ROWS_PER_STATEMENT.find((size) => size <= rows.length - start)!
      const values: Value[] = []
      for (const row of rows.slice(start, start + size)) append(values, row)
      statements.push({ sql: texts.get(size)!, values })
      start += size
    }
    return statements
  }
}

function tuplesOf(rows: number, columns: number): string {
  const placeholders = Array.from({ length: rows * columns }, (_, index) => `$${index + 1}`)
  return Array.from({ length: rows }, (_, row) => `(${placeholders.slice(row * columns, (row + 1) * columns)})`).join()
}
