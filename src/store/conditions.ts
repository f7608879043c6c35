import type { Value } from './database.ts'

/** Gathers the conditions of a list with filters, and their values after those that the text has anyway. */
export function conditions(values: Value[]) {
  const texts: string[] = []
  return { add, where: () => (texts.length > 0 ? `WHERE ${texts.join(' AND ')}` : '') }

  /** Each `?` in the text stands for the next of the values. */
  function add(text: string, more: readonly Value[] = []) {
    const next = more.values()
    texts.push(text.replaceAll('?', () => `$${values.push(next.next().value!)}`))
  }
}
