import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import { fromAmount } from '../../platform/config/spend-limits/limit-entry.ts'
import type { Simulation } from '../../contract/admin/simulation.ts'
import type { SpentLine } from '../../platform/store/ledger/lines-in-order.ts'
import type { Replayed } from './replay.ts'
import { spanAt } from './windows.ts'
import { DAY_MS } from '../../base/units/units.ts'

// Adds up what a replay says. What it keeps does not grow with the number of calls.

type Counts = { requests: number; clamped: number; refused: number; unpriced: number }

const MAX_TOP = 20
const MAX_EXAMPLES = 20
/** Further keys or users are not named. */
const MAX_HOLDERS = 100_000
const HALF_DAY_MS = DAY_MS / 2

export class SimulationReport {
  readonly #limit: Limit
  readonly #total = noCounts()
  readonly #days = new Map<string, Counts>()
  readonly #holders = new Map<string, Counts>()
  readonly #examples: Simulation['examples'] = []
  #used = 0
  #today = { label: '', counts: noCounts(), end: 0 }

  constructor(limit: Limit) {
    this.#limit = limit
  }

  add(line: SpentLine, replayed: Replayed): void {
    if (line.at >= this.#today.end) this.#enterDay(line.at)
    const holder = this.#holderOf(this.#limit.per ? replayed.bucket : line.keyId)
    for (const counts of [this.#total, this.#today.counts, holder]) count(counts, replayed)
    this.#used += replayed.demand
    if (replayed.outcome === 'passed') return
    this.#days.set(this.#today.label, this.#today.counts)
    if (this.#examples.length < MAX_EXAMPLES) this.#examples.push(this.#exampleOf(line, replayed))
  }

  /** Whether there were more keys or users than are counted one by one. */
  get isCut(): boolean {
    return this.#holders.size >= MAX_HOLDERS
  }

  /** Those who would have felt the limit most. */
  get top(): ({ id: string } & Counts)[] {
    const felt = [...this.#holders].filter(([, counts]) => feltBy(counts) > 0)
    const sorted = felt.sort(([, one], [, other]) => feltBy(other) - feltBy(one) || other.requests - one.requests)
    return sorted.slice(0, MAX_TOP).map(([id, counts]) => ({ id, ...counts }))
  }

  get body(): Omit<Simulation, 'from' | 'to' | 'is_complete' | 'peak' | 'top'> {
    const days = [...this.#days].map(([day, counts]) => ({ day, ...counts }))
    return { ...this.#total, used: fromAmount(this.#used, this.#limit.unit), days, examples: this.#examples }
  }

  #holderOf(id: string): Counts {
    const existing = this.#holders.get(id)
    if (existing) return existing
    const counts = noCounts()
    if (this.#holders.size < MAX_HOLDERS) this.#holders.set(id, counts)
    return counts
  }

  #enterDay(at: number): void {
    const { timezone } = this.#limit
    const { start, end } = spanAt('day', timezone, at)
    const label = new Date(start + HALF_DAY_MS).toLocaleDateString('en-CA', { timeZone: timezone })
    this.#today = { label, counts: noCounts(), end }
  }

  #exampleOf({ id, at, keyId, model }: SpentLine, { outcome, demand, remaining }: Replayed) {
    const { unit } = this.#limit
    return {
      request_id: id,
      at: new Date(at).toISOString(),
      key: keyId,
      model,
      outcome: outcome as 'clamped' | 'refused' | 'unpriced',
      needed: fromAmount(demand, unit),
      left: fromAmount(remaining, unit),
    }
  }
}

function noCounts(): Counts {
  return { requests: 0, clamped: 0, refused: 0, unpriced: 0 }
}

function count(counts: Counts, { outcome }: Replayed): void {
  counts.requests++
  if (outcome !== 'passed') counts[outcome]++
}

function feltBy({ clamped, refused, unpriced }: Counts): number {
  return clamped + refused + unpriced
}
