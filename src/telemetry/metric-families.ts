// Writes the Prometheus text format. The number of label values is limited, so that a caller who invents model names cannot
// fill our memory.

export const MAX_SERIES = 2_000
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const

export type Labels = readonly string[]

/** One counter. Code that counts often keeps a reference to it, so that counting is an addition and not a lookup. */
export type Cell = { value: number }

export class Counter {
  readonly name: string
  readonly help: string
  readonly #labels: Labels
  readonly #cells = new Map<string, Cell>()

  constructor(name: string, help: string, labels: Labels) {
    this.name = name
    this.help = help
    this.#labels = labels
  }

  cell(values: Labels): Cell {
    return boundedCell(this.#cells, values, () => ({ value: 0 }))
  }

  add(values: Labels, amount = 1): void {
    this.cell(values).value += amount
  }

  write(): string {
    const lines = [...this.#cells].map(([series, { value }]) => `${this.name}${braces(this.#labels, series)} ${value}`)
    return writeFamily(this.name, this.help, 'counter', lines)
  }
}

/** A histogram's buckets for one set of labels. */
export type Spread = { buckets: number[]; sum: number; count: number }

export class Histogram {
  readonly name: string
  readonly help: string
  readonly #labels: Labels
  readonly #spreads = new Map<string, Spread>()

  constructor(name: string, help: string, labels: Labels) {
    this.name = name
    this.help = help
    this.#labels = labels
  }

  spread(values: Labels): Spread {
    return boundedCell(this.#spreads, values, () => ({ buckets: SECONDS.map(() => 0), sum: 0, count: 0 }))
  }

  observe(values: Labels, seconds: number): void {
    observe(this.spread(values), seconds)
  }

  write(): string {
    const lines = [...this.#spreads].flatMap(([series, spread]) => this.#lines(series, spread))
    return writeFamily(this.name, this.help, 'histogram', lines)
  }

  #lines(series: string, { buckets, sum, count }: Spread): string[] {
    let below = 0
    const bounded = SECONDS.map((bound, i) => {
      below += buckets[i]!
      return `${this.name}_bucket${braces([...this.#labels, 'le'], joined(series, String(bound)))} ${below}`
    })
    return [
      ...bounded,
      `${this.name}_bucket${braces([...this.#labels, 'le'], joined(series, '+Inf'))} ${count}`,
      `${this.name}_sum${braces(this.#labels, series)} ${sum}`,
      `${this.name}_count${braces(this.#labels, series)} ${count}`,
    ]
  }
}

export function observe(spread: Spread, seconds: number): void {
  let bucket = 0
  while (bucket < SECONDS.length && seconds > SECONDS[bucket]!) bucket++
  if (bucket < SECONDS.length) spread.buckets[bucket]!++
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

export function writeFamily(name: string, help: string, type: string, lines: string[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.map((line) => `${line}\n`).join('')}`
}

/** Labels may contain text from callers, which must not contain our separator. */
function printable(label: string): string {
  return label.replaceAll('\0', '\ufffd')
}
