import { Problem } from '../../../contract/problems.ts'

/** What can be made of the items. If it is nothing, the reason is that of the first item. */
export function usable<Item, Made>(items: readonly Item[], make: (item: Item) => Made): Made[] {
  let first: Problem | undefined
  const all = items.flatMap((item) => {
    try {
      return [make(item)]
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      first ??= error
      return []
    }
  })
  if (all.length === 0 && first) throw first
  return all
}
