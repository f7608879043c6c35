import type { Value } from './database.ts'

/** Collects the conditions of a list with filters. Their values follow the values that the SQL text already has. */
export function conditions(values: Value[]) {
  const texts: string[] = []
  return { add, where: () => (texts.length > 0 ? `WHERE ${texts.join(' AND ')}` : '') }

  /** Each `?` in the text stands for the next value. */
  function add(text: string, more: readonly Value[] = []) {
    const next = more.values()
    texts.push(text.replaceAll('?', () => `$${values.push(next.next().value!)}`))
  }
}

/** Places for a list of values, for `conditions`. An empty list matches nothing. */
export function placeholdersFor(items: readonly unknown[]): string {
  return items.length > 0 ? items.map(() => '?').join(', ') : 'NULL'
}

/** The same for a text whose places are numbered: `$1, $2, $3`. */
export function numberedPlaceholders(items: readonly unknown[], first = 1): string {
  return items.length > 0 ? items.map((_, index) => `$${first + index}`).join(', ') : 'NULL'
}
