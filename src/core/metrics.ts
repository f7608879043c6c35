// Prometheus text, written by hand: a handful of families, all labels bounded, so that a caller who invents model names
// cannot fill our memory.

const MAX_SERIES = 2_000
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const

export type Labels = readonly string[]

export class Counter {
  readonly name: string
  readonly help: string
  readonly #labels: Labels
  readonly #values = new Map<string, number>()

  constructor(name: string, help: string, labels: Labels) {
    this.name = name
    this.help = help
    this.#labels = labels
  }

  add(values: Labels, amount = 1): void {
    const series = boundedSeries(this.#values, values)
    this.#values.set(series, (this.#values.get(series) ?? 0) + amount)
  }

  write(): string {
    const lines = [...this.#values].map(([series, value]) => `${this.name}${braces(this.#labels, series)} ${value}`)
    return block(this.name, this.help, 'counter', lines)
  }
}

type Spread = { buckets: number[]; sum: number; count: number }

export class Histogram {
  readonly name: string
  readonly help: string
  readonly #labels: Labels
  readonly #values = new Map<string, Spread>()

  constructor(name: string, help: string, labels: Labels) {
    this.name = name
    this.help = help
    this.#labels = labels
  }

  observe(values: Labels, seconds: number): void {
    const series = boundedSeries(this.#values, values)
    const spread = this.#values.get(series) ?? { buckets: SECONDS.map(() => 0), sum: 0, count: 0 }
    if (spread.count === 0) this.#values.set(series, spread)
    const bucket = SECONDS.findIndex((bound) => seconds <= bound)
    if (bucket >= 0) spread.buckets[bucket]!++
    spread.sum += seconds
    spread.count++
  }

  write(): string {
    const lines = [...this.#values].flatMap(([series, spread]) => this.#lines(series, spread))
    return block(this.name, this.help, 'histogram', lines)
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

export class Metrics {
  readonly requests = new Counter('gatehouse_requests_total', 'Requests answered.', ['endpoint', 'status'])
  readonly durations = new Histogram(
    'gatehouse_request_duration_seconds',
    'From the first byte in to the last byte out.',
    ['endpoint'],
  )
  readonly firstToken = new Histogram(
    'gatehouse_time_to_first_token_seconds',
    'From the request to its first streamed chunk.',
    ['provider'],
  )
  readonly tokens = new Counter('gatehouse_tokens_total', 'Tokens, as the providers counted them.', [
    'provider',
    'model',
    'direction',
  ])
  readonly cost = new Counter('gatehouse_cost_usd_total', 'Known cost in USD.', ['provider', 'model'])
  readonly attempts = new Counter('gatehouse_attempts_total', 'Calls made to providers, by how they ended.', [
    'provider',
    'outcome',
  ])
  readonly #gauges: { name: string; help: string; read: () => number }[] = []

  gauge(name: string, help: string, read: () => number): void {
    this.#gauges.push({ name, help, read })
  }

  write(): string {
    const { requests, durations, firstToken, tokens, cost, attempts } = this
    const families = [requests, durations, firstToken, tokens, cost, attempts].map((family) => family.write())
    const gauges = this.#gauges.map(({ name, help, read }) => block(name, help, 'gauge', [`${name} ${read()}`]))
    return [...families, ...gauges].join('')
  }
}

function boundedSeries(values: Map<string, unknown>, labels: Labels): string {
  const series = labels.join('\0')
  return values.size < MAX_SERIES || values.has(series) ? series : labels.map(() => 'other').join('\0')
}

function joined(series: string, last: string): string {
  return series === '' ? last : `${series}\0${last}`
}

function braces(labels: Labels, series: string): string {
  if (labels.length === 0) return ''
  const values = series.split('\0')
  return `{${labels.map((label, i) => `${label}="${escaped(values[i] ?? '')}"`).join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function block(name: string, help: string, type: string, lines: string[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.map((line) => `${line}\n`).join('')}`
}
