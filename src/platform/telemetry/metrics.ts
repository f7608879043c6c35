import {
  braces,
  type Cell,
  Counter,
  Histogram,
  MAX_SERIES,
  type MetricFamily,
  observe,
  SHORT_SECONDS,
  type Spread,
  unitOf,
  writeFamily,
} from './metric-families.ts'
import { type FamilyName, familyInfo } from './family-table.ts'

/** The counters of one endpoint. */
type EndpointMeter = { durations: Spread; overheads: Spread; statuses: Map<number, Cell> }
/** The counters of one model of one provider. */
type ModelMeter = { input: Cell; output: Cell; cost: Cell; firstToken: Spread }
type ProviderMeter = Map<string, Cell>

export class Metrics {
  readonly requests = new Counter('gatehouse_requests_total')
  readonly durations = new Histogram('gatehouse_request_duration_seconds')
  readonly firstToken = new Histogram('gatehouse_time_to_first_token_seconds')
  readonly overheads = new Histogram('gatehouse_overhead_seconds', SHORT_SECONDS)
  readonly eventOverheads = new Histogram('gatehouse_stream_event_overhead_seconds', SHORT_SECONDS)
  readonly loopLag = new Histogram('gatehouse_event_loop_lag_seconds', SHORT_SECONDS)
  readonly tokens = new Counter('gatehouse_tokens_total')
  readonly cost = new Counter('gatehouse_cost_usd_total')
  readonly attempts = new Counter('gatehouse_attempts_total')
  readonly malformedEvents = new Counter('gatehouse_malformed_events_total')
  readonly budgetOverruns = new Counter('gatehouse_budget_overrun_total')
  readonly shadowExceeds = new Counter('gatehouse_limit_shadow_exceeded_total')
  readonly guardrailChecks = new Counter('gatehouse_guardrail_checks_total')
  readonly jobs = new Histogram('gatehouse_job_duration_seconds')
  readonly deliveryAttempts = new Counter('gatehouse_delivery_attempts_total')
  readonly contentDropped = new Counter('gatehouse_content_dropped_total')
  readonly storeDurations = new Histogram('gatehouse_store_duration_seconds', SHORT_SECONDS)
  readonly storeErrors = new Counter('gatehouse_store_errors_total')
  readonly agentTelemetry = new Counter('gatehouse_agent_telemetry_total')
  readonly telemetryDropped = new Counter('gatehouse_telemetry_dropped_total')
  readonly #ofEvents = this.eventOverheads.spread([])
  readonly #endpoints = new Map<string, EndpointMeter>()
  readonly #models = new Map<string, ModelMeter>()
  readonly #providers = new Map<string, ProviderMeter>()
  readonly #read: { name: FamilyName; read: () => number }[] = []
  readonly #labelled: { name: FamilyName; label: string; read: () => ReadonlyMap<string, number> }[] = []

  answered(endpoint: string, status: number, seconds: number): void {
    const meter = this.#meterAt(endpoint)
    getOrCreate(meter.statuses, status, () => this.requests.cell([endpoint, String(status)])).value++
    observe(meter.durations, seconds)
  }

  /** What the gateway itself took before the first byte of an answer. */
  tookBeforeAnswer(endpoint: string, seconds: number): void {
    observe(this.#meterAt(endpoint).overheads, seconds)
  }

  /** What the gateway itself took from the provider's bytes to the caller's events. */
  tookForEvents(seconds: number): void {
    observe(this.#ofEvents, seconds)
  }

  attempted(provider: string, outcome: string): void {
    const meter = getOrCreate(this.#providers, provider, () => new Map<string, Cell>())
    getOrCreate(meter, outcome, () => this.attempts.cell([provider, outcome])).value++
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

  /** A value that is read when the metrics are. */
  read(name: FamilyName, read: () => number): void {
    this.#read.push({ name, read })
  }

  /** The same with one value for each value of a label. The code that reads them bounds their number. */
  readEach(name: FamilyName, label: string, read: () => ReadonlyMap<string, number>): void {
    this.#labelled.push({ name, label, read })
  }

  /** Every family with its points, for encoders of other formats. */
  families(): MetricFamily[] {
    const read = this.#read.map(({ name, read }) => familyOfValues(name, () => [{ values: [], value: read() }]))
    const labelled = this.#labelled.map(({ name, read }) =>
      familyOfValues(name, () => Array.from(read(), ([label, value]) => ({ values: [label], value }))),
    )
    return [...this.#counted().map(({ family }) => family), ...read, ...labelled]
  }

  write(): string {
    const read = this.#read.map(({ name, read }) => writeFamily(name, [`${name} ${read()}`]))
    const labelled = this.#labelled.map(({ name, label, read }) => writeEach(name, label, read()))
    return [...this.#counted().map((family) => family.write()), ...read, ...labelled].join('')
  }

  #counted(): (Counter | Histogram)[] {
    return [
      ...[this.requests, this.durations, this.firstToken, this.overheads, this.eventOverheads, this.loopLag],
      ...[this.tokens, this.cost, this.attempts, this.malformedEvents, this.budgetOverruns, this.shadowExceeds],
      this.guardrailChecks,
      ...[this.jobs, this.deliveryAttempts, this.storeDurations, this.storeErrors, this.telemetryDropped],
      this.agentTelemetry,
      this.contentDropped,
    ]
  }

  #meterAt(endpoint: string): EndpointMeter {
    return getOrCreate(this.#endpoints, endpoint, () => ({
      durations: this.durations.spread([endpoint]),
      overheads: this.overheads.spread([endpoint]),
      statuses: new Map(),
    }))
  }

  /** With a sandbox key, the same model name may have another provider, so the key has both. */
  #meterOf(provider: string, model: string): ModelMeter {
    return getOrCreate(this.#models, model.startsWith(provider) ? model : `${provider} ${model}`, () => ({
      input: this.tokens.cell([provider, model, 'input']),
      output: this.tokens.cell([provider, model, 'output']),
      cost: this.cost.cell([provider, model]),
      firstToken: this.firstToken.spread([provider]),
    }))
  }
}

function familyOfValues(name: FamilyName, points: MetricFamily['points']): MetricFamily {
  return { ...familyInfo(name), name, unit: unitOf(name), points }
}

/** A family with one value for each value of a label. */
export function writeEach(name: FamilyName, label: string, values: ReadonlyMap<string, number>): string {
  return writeFamily(
    name,
    Array.from(values, ([value, number]) => `${name}${braces([label], value)} ${number}`),
  )
}

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key)
  if (found) return found
  const made = make()
  if (map.size < MAX_SERIES) map.set(key, made)
  return made
}
