/** Maps all items, at most `atOnce` at a time, and returns the results in order. The first failure aborts the others. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const rest = new AbortController()
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length && !rest.signal.aborted) {
      const at = next++
      results[at] = await work(items[at]!, rest.signal)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker)).catch((error) => {
    rest.abort(error)
    throw error
  })
  return results
}
