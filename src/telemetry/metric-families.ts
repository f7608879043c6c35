// Writes the Prometheus text format. The number of label values is limited, so that a caller who invents model names cannot
// fill our memory.

export const MAX_SERIES = 2_000
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const

export type Labels = readonly string[]

/** What a family has counted for one set of label values. */
export type MetricPoint = { readonly values: Labels } & ({ readonly value: number } | { readonly spread: Spread })

/** One family for every encoder: the text of /metrics, and OTLP. */
export type MetricFamily = {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** In the notation of UCUM, which OTLP uses; `1` for plain numbers. */
  readonly unit: string
  readonly labels: Labels
  /** The upper bounds of a histogram's buckets; the last bucket has none. */
  readonly bounds?: readonly number[]
  points(): MetricPoint[]
}

/** One counter. Code that counts often keeps a reference to it, so that counting is an addition and not a lookup. */
export type Cell = { value: number }

export class Counter implements MetricFamily {
  readonly type = 'counter'
  readonly name: string
  readonly help: string
  readonly unit: string
  readonly labels: Labels
  readonly #cells = new Map<string, Cell>()

  constructor(name: string, help: string, labels: Labels, unit = unitOf(name)) {
    this.name = name
    this.help = help
    this.unit = unit
    this.labels = labels
  }

  cell(values: Labels): Cell {
    return boundedCell(this.#cells, values, () => ({ value: 0 }))
  }

  add(values: Labels, amount = 1): void {
    this.cell(values).value += amount
  }

  points(): MetricPoint[] {
    return Array.from(this.#cells, ([series, { value }]) => ({ values: series.split('\0'), value }))
  }

  write(): string {
    const lines = [...this.#cells].map(([series, { value }]) => `${this.name}${braces(this.labels, series)} ${value}`)
    return writeFamily(this.name, this.help, 'counter', lines)
  }
}

/** A histogram's buckets for one set of labels. */
export type Spread = { buckets: number[]; sum: number; count: number }

type Buckets = { bounds?: readonly number[]; unit?: string }

export class Histogram implements MetricFamily {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  readonly unit: string
  readonly labels: Labels
  readonly bounds: readonly number[]
  readonly #spreads = new Map<string, Spread>()

  constructor(name: string, help: string, labels: Labels, { bounds = SECONDS, unit = 's' }: Buckets = {}) {
    this.name = name
    this.help = help
    this.unit = unit
    this.labels = labels
    this.bounds = bounds
  }

  spread(values: Labels): Spread {
    return boundedCell(this.#spreads, values, () => ({ buckets: this.bounds.map(() => 0), sum: 0, count: 0 }))
  }

  observe(values: Labels, value: number): void {
    observe(this.spread(values), value, this.bounds)
  }

  points(): MetricPoint[] {
    return Array.from(this.#spreads, ([series, spread]) => ({ values: series.split('\0'), spread }))
  }

  write(): string {
    const lines = [...this.#spreads].flatMap(([series, spread]) => this.#lines(series, spread))
    return writeFamily(this.name, this.help, 'histogram', lines)
  }

  #lines(series: string, { buckets, sum, count }: Spread): string[] {
    let below = 0
    const bounded = this.bounds.map((bound, i) => {
      below += buckets[i]!
      return `${this.name}_bucket${braces([...this.labels, 'le'], joined(series, String(bound)))} ${below}`
    })
    return [
      ...bounded,
      `${this.name}_bucket${braces([...this.labels, 'le'], joined(series, '+Inf'))} ${count}`,
      `${this.name}_sum${braces(this.labels, series)} ${sum}`,
      `${this.name}_count${braces(this.labels, series)} ${count}`,
    ]
  }
}

export function observe(spread: Spread, value: number, bounds: readonly number[] = SECONDS): void {
  let bucket = 0
  while (bucket < bounds.length && value > bounds[bucket]!) bucket++
  if (bucket < bounds.length) spread.buckets[bucket]!++
  spread.sum += value
  spread.count++
}

/** Our names say what is counted. */
export function unitOf(name: string): string {
  if (/_seconds(?:_total)?$/.test(name)) return 's'
  return /_bytes(?:_in_flight)?(?:_total)?$/.test(name) ? 'By' : '1'
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

export function writeFamily(name: string, help: string, type: string, lines: string[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.map((line) => `${line}\n`).join('')}`
}

/** Labels may contain text from callers, which must not contain our separator. */
function printable(label: string): string {
  return label.replaceAll('\0', '\ufffd')
}
