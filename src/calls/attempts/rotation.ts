/** One of several that share the work. `index` is its place in the whole list. */
type Sharing = { index: number; weight: number }

/** Smooth weighted round-robin: weights 3 and 1 give a a b a, not a a a b. The one that is furthest behind is next. */
export function nextInRotation<Item extends Sharing>(free: readonly Item[], counts: number[]): Item {
  const total = free.reduce((sum, { weight }) => sum + weight, 0)
  let best = free[0]!
  for (const item of free) {
    counts[item.index]! += item.weight
    if (counts[item.index]! > counts[best.index]!) best = item
  }
  counts[best.index]! -= total
  return best
}

/**
 * Weighted rendezvous hashing: the same number always prefers the same item, each item gets its share of the numbers, and
 * only the numbers of an item that is missing go elsewhere. Processes need not tell each other anything for that.
 */
export function byAffinity<Item extends Sharing>(items: readonly Item[], affinity: number): Item[] {
  const scored = items.map((item) => ({ item, score: -item.weight / Math.log(shareOf(affinity, item.index)) }))
  return scored.sort((one, other) => other.score - one.score).map(({ item }) => item)
}

/** A number between 0 and 1, both excluded, that looks random. */
function shareOf(affinity: number, index: number): number {
  let bits = (affinity ^ Math.imul(index + 1, 0x9e3779b9)) >>> 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  bits = (bits ^ (bits >>> 16)) >>> 0
  return (bits + 0.5) / 2 ** 32
}
