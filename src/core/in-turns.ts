/** Does all of them, so many at a time, and gives the results in their order. The first failure ends it. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  let failed = false
  const turn = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const at = next++
      results[at] = await work(items[at]!)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, turn)).catch((error) => {
    failed = true
    throw error
  })
  return results
}
