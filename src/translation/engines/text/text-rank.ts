const DAMPING = 0.85
const ROUNDS = 40
const GOOD_ENOUGH = 1e-4

/** How strongly each node is linked to others. Both directions are listed. */
type Ties = ReadonlyMap<number, number>[]

/** TextRank (Mihalcea and Tarau, 2004): a node is important if many important nodes link to it. */
export function textRank(ties: Ties): number[] {
  const sums = ties.map((own) => [...own.values()].reduce((sum, weight) => sum + weight, 0))
  let ranks = ties.map(() => 1)
  for (let round = 0; round < ROUNDS; round++) {
    const next = ties.map((own) => 1 - DAMPING + DAMPING * received(own, ranks, sums))
    const change = Math.max(0, ...next.map((rank, index) => Math.abs(rank - ranks[index]!)))
    ranks = next
    if (change < GOOD_ENOUGH) break
  }
  return ranks
}

function received(own: ReadonlyMap<number, number>, ranks: readonly number[], sums: readonly number[]): number {
  let sum = 0
  for (const [other, weight] of own) sum += (weight / sums[other]!) * ranks[other]!
  return sum
}
