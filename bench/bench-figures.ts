// The arithmetic of a run: medians, paired ratios, what was met, and when a run does not count.

/** Other work on the machine above this share of its capacity makes the run void. */
export const OTHERS_LIMIT = 0.25

export type Spread = { low: number; middle: number; high: number }
/** One figure of one contender in one round; rounds are what pairs are made of. */
export type Figure = { round: number; value: number }
export type Target = { atMost: number } | { atLeast: number }
export type MachineUse = { busy: number; ours: number; capacity: number }

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function spread(values: readonly number[]): Spread {
  return { low: quantile(values, 0.25), middle: quantile(values, 0.5), high: quantile(values, 0.75) }
}

/**
 * Where the median of what the values are a sample of lies, 95 times of 100, whatever their distribution: the values whose
 * ranks the binomial distribution (here its normal approximation) leaves 2.5 % of on either side.
 */
export function intervalOfMedian(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other)
  const reach = (1.96 * Math.sqrt(sorted.length)) / 2
  const low = sorted[Math.max(0, Math.floor(sorted.length / 2 - reach))] ?? Number.NaN
  const high = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length / 2 + reach) - 1)] ?? Number.NaN
  return { low, middle: median(values), high }
}

/** Ratios within a round, so that what slows the whole machine for a while slows both sides of a ratio. */
export function pairedRatios(top: readonly Figure[], bottom: readonly Figure[]): number[] {
  return paired(top, bottom, (upper, lower) => upper / lower).map((figure) => figure.value)
}

/** What a contender adds to going straight to the upstream, round by round. */
export function pairedDifferences(top: readonly Figure[], bottom: readonly Figure[]): Figure[] {
  return paired(top, bottom, (upper, lower) => upper - lower)
}

export function isMet(target: Target, value: number): boolean {
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast
}

/** The share of the machine that neither the contender nor the upstream nor the load used. */
export function othersShare(uses: readonly MachineUse[]): number {
  const total = (pick: (use: MachineUse) => number) => uses.reduce((sum, use) => sum + pick(use), 0)
  const capacity = total((use) => use.capacity)
  return capacity === 0 ? 0 : Math.max(0, (total((use) => use.busy) - total((use) => use.ours)) / capacity)
}

export function isVoid(uses: readonly MachineUse[]): boolean {
  return othersShare(uses) > OTHERS_LIMIT
}

/** Every contender takes every place in the order in turn. */
export function rotated<T>(items: readonly T[], round: number): T[] {
  const from = items.length === 0 ? 0 : round % items.length
  return [...items.slice(from), ...items.slice(0, from)]
}

function paired(top: readonly Figure[], bottom: readonly Figure[], join: (upper: number, lower: number) => number) {
  const lowers = new Map(bottom.map((figure) => [figure.round, figure.value]))
  return top.flatMap(({ round, value }): Figure[] => {
    const lower = lowers.get(round)
    return lower === undefined ? [] : [{ round, value: join(value, lower) }]
  })
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}
