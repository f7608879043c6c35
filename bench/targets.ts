// What is compared with what, and the ratio Gatehouse has to keep.
import {
  type Figure,
  isMet,
  pairedDifferences,
  pairedRatios,
  type Spread,
  spread,
  type Target,
} from './bench-figures.ts'
import type { ContenderName } from './contenders.ts'
import type { ScenarioName } from './settings.ts'
import { isValid, type Slice } from './slices.ts'

export const MAX_LEDGER_SHARE = 0.15
export const MAX_MEMORY_MB = 5

/** `cpu` is CPU per request or event; `added` is the median answer time minus that of the bare upstream. */
type Measure = 'cpu' | 'added'
type Comparison = {
  scenario: ScenarioName
  measure: Measure
  top: ContenderName
  bottom: ContenderName
  target?: Target
}
export type Ratio = Comparison & { rounds: number; spread: Spread; met?: boolean }

const COMPARISONS: readonly Comparison[] = [
  { scenario: 'small', measure: 'cpu', top: 'gatehouse', bottom: 'bare', target: { atMost: 1.5 } },
  { scenario: 'small', measure: 'cpu', top: 'portkey', bottom: 'gatehouse', target: { atLeast: 5 } },
  { scenario: 'large', measure: 'cpu', top: 'gatehouse', bottom: 'bare', target: { atMost: 1.5 } },
  { scenario: 'large', measure: 'cpu', top: 'portkey', bottom: 'gatehouse', target: { atLeast: 3.1 } },
  { scenario: 'one', measure: 'added', top: 'gatehouse', bottom: 'bare', target: { atMost: 1.8 } },
  { scenario: 'one', measure: 'added', top: 'portkey', bottom: 'gatehouse', target: { atLeast: 3 } },
  { scenario: 'streams', measure: 'cpu', top: 'gatehouse', bottom: 'bare', target: { atMost: 1.5 } },
  { scenario: 'streams', measure: 'cpu', top: 'portkey', bottom: 'gatehouse', target: { atLeast: 1.5 } },
  ...comparisonsOf('litellm'),
  ...comparisonsOf('bifrost'),
]

/** A gateway that is measured on request has no target to keep: its ratios are only reported. */
function comparisonsOf(top: ContenderName): Comparison[] {
  const bottom = 'gatehouse'
  const measured = { small: 'cpu', large: 'cpu', one: 'added', streams: 'cpu' } as const
  return Object.entries(measured).map(([scenario, measure]) => {
    return { scenario: scenario as keyof typeof measured, measure, top, bottom }
  })
}

export function ratiosOf(scenario: ScenarioName, slices: readonly Slice[]): Ratio[] {
  const requests = COMPARISONS.filter((comparison) => comparison.scenario === scenario)
  return requests.map((comparison) => ratioOf(comparison, slices)).filter(({ rounds }) => rounds > 0)
}

/** Figures of the slices that count. */
export function figuresOf(slices: readonly Slice[], contender: ContenderName, measure: Measure): Figure[] {
  const own = slices.filter((slice) => slice.contender === contender && isValid(slice))
  if (measure === 'cpu') return own.map(({ round, cpuUs }) => ({ round, value: cpuUs }))
  const direct = slices.filter((slice) => slice.contender === 'direct' && isValid(slice))
  return pairedDifferences(own.map(answerTime), direct.map(answerTime))
}

function ratioOf(comparison: Comparison, slices: readonly Slice[]): Ratio {
  const { top, bottom, measure, target } = comparison
  const ratios = pairedRatios(figuresOf(slices, top, measure), figuresOf(slices, bottom, measure))
  const figures = spread(ratios)
  return { ...comparison, rounds: ratios.length, spread: figures, met: target && isMet(target, figures.middle) }
}

function answerTime({ round, p50Us }: Slice): Figure {
  return { round, value: p50Us }
}
