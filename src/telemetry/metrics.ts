import {
  braces,
  type Cell,
  Counter,
  Histogram,
  MAX_SERIES,
  type MetricFamily,
  observe,
  type Spread,
  unitOf,
  writeFamily,
} from './metric-families.ts'

/** The counters of one endpoint. */
type EndpointMeter = { durations: Spread; statuses: Map<number, Cell> }
/** The counters of one model of one provider. */
type ModelMeter = { input: Cell; output: Cell; cost: Cell; firstToken: Spread }
type ProviderMeter = Map<string, Cell>

export class Metrics {
  readonly requests = new Counter('gatehouse_requests_total', 'Requests answered.', ['endpoint', 'status'])
  readonly durations = new Histogram(
    'gatehouse_request_duration_seconds',
    'Seconds from the first byte of a request to the last byte of its reply.',
    ['endpoint'],
  )
  readonly firstToken = new Histogram(
    'gatehouse_time_to_first_token_seconds',
    'Seconds from a request to its first streamed chunk.',
    ['provider'],
  )
  readonly tokens = new Counter('gatehouse_tokens_total', 'Tokens as counted by the providers.', [
    'provider',
    'model',
    'direction',
  ])
  readonly cost = new Counter('gatehouse_cost_usd_total', 'Known cost in USD.', ['provider', 'model'])
  readonly attempts = new Counter('gatehouse_attempts_total', 'Attempts at providers, by outcome.', [
    'provider',
    'outcome',
  ])
  readonly malformedEvents = new Counter(
    'gatehouse_malformed_events_total',
    'Stream events that could not be parsed and were skipped.',
    ['provider'],
  )
  readonly budgetOverruns = new Counter(
    'gatehouse_budget_overrun_total',
    'Calls that a provider billed with more than the worst case that was reserved of a limit.',
    ['limit'],
  )
  readonly shadowExceeds = new Counter(
    'gatehouse_limit_shadow_exceeded_total',
    'Attempts that a limit in shadow mode would have refused.',
    ['limit'],
  )
  readonly telemetryDropped = new Counter(
    'gatehouse_telemetry_dropped_total',
    'Spans and points of metrics that did not reach the OpenTelemetry collector, by reason.',
    ['signal', 'reason'],
  )
  readonly #endpoints = new Map<string, EndpointMeter>()
  readonly #models = new Map<string, ModelMeter>()
  readonly #providers = new Map<string, ProviderMeter>()
  readonly #read: { name: string; help: string; type: 'gauge' | 'counter'; read: () => number }[] = []
  readonly #labelled: { name: string; help: string; label: string; read: () => ReadonlyMap<string, number> }[] = []

  answered(endpoint: string, status: number, seconds: number): void {
    const meter = known(this.#endpoints, endpoint, () => ({
      durations: this.durations.spread([endpoint]),
      statuses: new Map(),
    }))
    known(meter.statuses, status, () => this.requests.cell([endpoint, String(status)])).value++
    observe(meter.durations, seconds)
  }

  attempted(provider: string, outcome: string): void {
    const meter = known(this.#providers, provider, () => new Map<string, Cell>())
    known(meter, outcome, () => this.attempts.cell([provider, outcome])).value++
  }

  budgetOverran(limit: string): void {
    this.budgetOverruns.add([limit])
  }

  shadowExceeded(limit: string): void {
    this.shadowExceeds.add([limit])
  }

  malformed(provider: string, events: number): void {
    if (events > 0) this.malformedEvents.add([provider], events)
  }

  spent(provider: string, model: string, tokens: { input: number; output: number } | null, cost: number | null): void {
    const meter = this.#meterOf(provider, model)
    meter.input.value += tokens?.input ?? 0
    meter.output.value += tokens?.output ?? 0
    meter.cost.value += cost ?? 0
  }

  began(provider: string, model: string, seconds: number): void {
    observe(this.#meterOf(provider, model).firstToken, seconds)
  }

  gauge(name: string, help: string, read: () => number): void {
    this.#read.push({ name, help, type: 'gauge', read })
  }

  /** A gauge with one value for each value of a label. The code that reads them bounds their number. */
  gauges(name: string, help: string, label: string, read: () => ReadonlyMap<string, number>): void {
    this.#labelled.push({ name, help, label, read })
  }

  /** For what is counted elsewhere and only grows. */
  total(name: string, help: string, read: () => number): void {
    this.#read.push({ name, help, type: 'counter', read })
  }

  /** Every family with its points, for encoders of other formats. */
  families(): MetricFamily[] {
    const read = this.#read.map(({ read, ...about }) => {
      return { ...about, unit: unitOf(about.name), labels: [], points: () => [{ values: [], value: read() }] }
    })
    const labelled = this.#labelled.map(({ name, help, label, read }) => {
      const points = () => Array.from(read(), ([value, number]) => ({ values: [value], value: number }))
      return { name, help, type: 'gauge' as const, unit: unitOf(name), labels: [label], points }
    })
    return [...this.#counted(), ...read, ...labelled]
  }

  write(): string {
    const families = this.#counted().map((family) => family.write())
    const read = this.#read.map(({ name, help, type, read }) => writeFamily(name, help, type, [`${name} ${read()}`]))
    const labelled = this.#labelled.map(({ name, help, label, read }) => {
      const lines = Array.from(read(), ([value, number]) => `${name}${braces([label], value)} ${number}`)
      return writeFamily(name, help, 'gauge', lines)
    })
    return [...families, ...read, ...labelled].join('')
  }

  #counted(): (Counter | Histogram)[] {
    const { requests, durations, firstToken, tokens, cost, attempts, malformedEvents } = this
    const counted = [requests, durations, firstToken, tokens, cost, attempts, malformedEvents]
    return [...counted, this.budgetOverruns, this.shadowExceeds, this.telemetryDropped]
  }

  /** With a sandbox key, the same model name may have another provider, so the key has both. */
  #meterOf(provider: string, model: string): ModelMeter {
    return known(this.#models, model.startsWith(provider) ? model : `${provider} ${model}`, () => ({
      input: this.tokens.cell([provider, model, 'input']),
      output: this.tokens.cell([provider, model, 'output']),
      cost: this.cost.cell([provider, model]),
      firstToken: this.firstToken.spread([provider]),
    }))
  }
}

function known<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key)
  if (found) return found
  const made = make()
  if (map.size < MAX_SERIES) map.set(key, made)
  return made
}
