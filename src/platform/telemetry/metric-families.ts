import { type FamilyInfo, type FamilyName, familyInfo } from './family-table.ts'

// Writes the Prometheus text format. The number of label values is limited, so that a caller who invents model names cannot
// fill our memory.

export const MAX_SERIES = 2_000
const SECONDS: Bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
/** For what the gateway and its store do themselves. */
export const SHORT_SECONDS: Bounds = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5]

type Bounds = readonly number[]

type Labels = readonly string[]

/** What a family has counted for one set of label values. */
export type MetricPoint = { readonly values: Labels } & ({ readonly value: number } | { readonly spread: Spread })

/** A family for every encoder: the text of /metrics, and OTLP. */
export type MetricFamily = FamilyInfo & {
  readonly name: string
  /** In the notation of UCUM, which OTLP uses; `1` for plain numbers. */
  readonly unit: string
  points(): MetricPoint[]
}

/** A family of /metrics by its name, or one that only collectors get. */
type FamilySource = FamilyName | (FamilyInfo & { name: string; unit: string })

/** One counter. Code that counts often keeps a reference to it, so that counting is an addition and not a lookup. */
export type Cell = { value: number }

export class Counter {
  readonly #family: Omit<MetricFamily, 'points'>
  readonly #cells = new Map<string, Cell>()

  constructor(family: FamilySource) {
    this.#family = familyOf(family)
  }

  get family(): MetricFamily {
    const points = () => Array.from(this.#cells, ([series, { value }]) => ({ values: series.split('\0'), value }))
    return { ...this.#family, points }
  }

  cell(values: Labels): Cell {
    return boundedCell(this.#cells, values, () => ({ value: 0 }))
  }

  add(values: Labels, amount = 1): void {
    this.cell(values).value += amount
  }

  write(): string {
    const { name, labels } = this.#family
    const lines = [...this.#cells].map(([series, { value }]) => `${name}${braces(labels, series)} ${value}`)
    return writeText(this.#family, lines)
  }
}

/** A histogram's buckets for one set of labels. */
export type Spread = { bounds: Bounds; buckets: number[]; sum: number; count: number }

export class Histogram {
  readonly #family: Omit<MetricFamily, 'points'>
  readonly #bounds: Bounds
  readonly #spreads = new Map<string, Spread>()

  constructor(family: FamilySource, bounds = SECONDS) {
    this.#family = familyOf(family)
    this.#bounds = bounds
  }

  get family(): MetricFamily {
    const points = () => Array.from(this.#spreads, ([series, spread]) => ({ values: series.split('\0'), spread }))
    return { ...this.#family, points }
  }

  spread(values: Labels): Spread {
    const bounds = this.#bounds
    return boundedCell(this.#spreads, values, () => ({ bounds, buckets: bounds.map(() => 0), sum: 0, count: 0 }))
  }

  observe(values: Labels, seconds: number): void {
    observe(this.spread(values), seconds)
  }

  write(): string {
    const lines = [...this.#spreads].flatMap(([series, spread]) => this.#lines(series, spread))
    return writeText(this.#family, lines)
  }

  #lines(series: string, { bounds, buckets, sum, count }: Spread): string[] {
    const { name, labels } = this.#family
    const bucket = (le: string) => `${name}_bucket${braces([...labels, 'le'], joined(series, le))}`
    let below = 0
    const bounded = bounds.map((bound, i) => {
      below += buckets[i]!
      return `${bucket(String(bound))} ${below}`
    })
    const whole = [`${name}_sum${braces(labels, series)} ${sum}`, `${name}_count${braces(labels, series)} ${count}`]
    return [...bounded, `${bucket('+Inf')} ${count}`, ...whole]
  }
}

export function observe(spread: Spread, seconds: number): void {
  const { bounds } = spread
  let bucket = 0
  while (bucket < bounds.length && seconds > bounds[bucket]!) bucket++
  if (bucket < bounds.length) spread.buckets[bucket]!++
  spread.sum += seconds
  spread.count++
}

/** If there are too many series, the rest is counted together. */
function boundedCell<Value>(cells: Map<string, Value>, labels: Labels, make: () => Value): Value {
  const series = labels.map(printable).join('\0')
  const name = cells.size < MAX_SERIES || cells.has(series) ? series : labels.map(() => 'other').join('\0')
  const cell = cells.get(name) ?? make()
  cells.set(name, cell)
  return cell
}

function joined(series: string, last: string): string {
  return series === '' ? last : `${series}\0${last}`
}

export function braces(labels: Labels, series: string): string {
  if (labels.length === 0) return ''
  const values = series.split('\0')
  return `{${labels.map((label, i) => `${label}="${escaped(values[i] ?? '')}"`).join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function familyOf(family: FamilySource): Omit<MetricFamily, 'points'> {
  return typeof family === 'string' ? { ...familyInfo(family), name: family, unit: unitOf(family) } : family
}

/** Our names say what is counted. */
export function unitOf(name: FamilyName): string {
  if (/_seconds(?:_total)?$/.test(name)) return 's'
  return /_bytes(?:_in_flight)?$/.test(name) ? 'By' : '1'
}

export function writeFamily(name: FamilyName, lines: readonly string[]): string {
  return writeText({ ...familyInfo(name), name }, lines)
}

function writeText({ name, help, type }: FamilyInfo & { name: string }, lines: readonly string[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.map((line) => `${line}\n`).join('')}`
}

/** Labels may contain text from callers, which must not contain our separator. */
function printable(label: string): string {
  return label.replaceAll('\0', '\ufffd')
}
