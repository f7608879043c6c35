/** From the weakest to the strongest. */
const EFFORTS: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** The budget that an effort stands for, on models that think within a budget. */
const BUDGET_TOKENS: ReadonlyMap<string, number> = new Map(
  Object.entries({ minimal: 1024, low: 1024, medium: 2048, high: 4096, xhigh: 8192, max: 16_384 }),
)

const LOW_BUDGET_TOKENS = 2048
const MEDIUM_BUDGET_TOKENS = 8192

/** The strongest known effort that is not above the requested one, else the weakest; with `stronger` the other way round. */
export function nearestEffort(word: string, efforts: readonly string[], rather?: 'stronger'): string {
  if (efforts.includes(word)) return word
  const requested = strengthOf(word)
  // A caller who asks for some thinking does not mean none.
  const some = requested === 0 ? efforts : efforts.filter((one) => one !== 'none')
  const sorted = some.toSorted((a, b) => strengthOf(a) - strengthOf(b))
  const below = sorted.findLast((one) => strengthOf(one) <= requested)
  const above = sorted.find((one) => strengthOf(one) >= requested)
  return (rather ? (above ?? below) : (below ?? above)) ?? efforts[0] ?? word
}

export function effortOfBudget(tokens: number): string {
  if (tokens <= LOW_BUDGET_TOKENS) return 'low'
  return tokens <= MEDIUM_BUDGET_TOKENS ? 'medium' : 'high'
}

export function budgetOfEffort(word: string): number {
  return BUDGET_TOKENS.get(word) ?? LOW_BUDGET_TOKENS
}

/** A provider's own word (`default`) counts as medium. */
function strengthOf(word: string): number {
  const at = EFFORTS.indexOf(word)
  return at < 0 ? EFFORTS.indexOf('medium') : at
}
