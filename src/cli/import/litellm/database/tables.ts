import type { Fields } from '../../../../base/schema/record.ts'
import { usualVerdict } from '../mapping/mapping.ts'
import type { Finding } from '../../finding.ts'
import type { SourceDatabase } from './read-tables.ts'
import { isSet } from './values.ts'

/** Rows that are kept in memory at most, of one table. */
const MAX_ROWS = 1_000_000

/** Counts the columns that say something, so that every one of them gets its verdict. */
export class ColumnCounts {
  readonly #counts = new Map<string, number>()

  add(table: string, row: Fields): void {
    for (const [column, value] of Object.entries(row)) {
      const path = `${table}.${column}`
      if (isSet(value)) this.#counts.set(path, (this.#counts.get(path) ?? 0) + 1)
    }
  }

  findings(): Finding[] {
    return Array.from(this.#counts, ([path, count]) => {
      const [table, column] = path.split('.') as [string, string]
      return { path, ...usualVerdict(table, column), count }
    })
  }
}

/** A whole table by the column that identifies its rows, or by several of them. */
export async function readTable(
  source: SourceDatabase,
  table: string,
  by: readonly string[],
  counts: ColumnCounts,
): Promise<Fields[]> {
  const rows: Fields[] = []
  for await (const row of source.rows(table, by)) {
    counts.add(table, row)
    if (rows.push(row) > MAX_ROWS) throw new Error(`LiteLLM's ${table} has more than ${MAX_ROWS} rows.`)
  }
  return rows
}

export function byColumn(rows: readonly Fields[], column: string): Map<string, Fields> {
  return new Map(rows.map((row) => [String(row[column]), row]))
}
