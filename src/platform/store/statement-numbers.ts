const KNOWN_STATEMENTS_LIMIT = 256

/**
 * A text is sent to the worker once and is then referred to by its number. Both sides forget the least recently used texts.
 */
export function statementNumbers() {
  const numbers = new Map<string, number>()
  let texts: [number, string][] = []
  let forgotten: number[] = []
  let next = 0

  return { numberOf, takeNews, clear }

  function numberOf(sql: string): number {
    const existing = numbers.get(sql)
    if (existing !== undefined) numbers.delete(sql)
    const number = existing ?? next++
    numbers.set(sql, number)
    if (existing === undefined) introduce(sql, number)
    return number
  }

  function introduce(sql: string, number: number) {
    texts.push([number, sql])
    if (numbers.size <= KNOWN_STATEMENTS_LIMIT) return
    const [oldest, its] = numbers.entries().next().value!
    numbers.delete(oldest)
    forgotten.push(its)
  }

  /** What the worker has to learn before the calls of this message, and may forget after them. */
  function takeNews() {
    const news = { texts, forgotten }
    texts = []
    forgotten = []
    return news
  }

  function clear() {
    numbers.clear()
    takeNews()
  }
}
