import { inputOf, outputOf } from '../../money/billing/token-buckets.ts'
import type { Call } from '../call.ts'
import type { AttemptRecord } from '../attempt-record.ts'
import { lasted } from '../request-detail.ts'
import {
  Counter,
  Histogram,
  type MetricFamily,
  observe,
  type Spread,
} from '../../platform/telemetry/metric-families.ts'
import type { Names } from '../../platform/telemetry/semconv.ts'
import { isFailed } from './ended-call.ts'
import type { SpanParts, TracedTarget } from './span-parts.ts'

/** The bounds that the conventions ask for. */
const DURATIONS = Array.from({ length: 14 }, (_, i) => 2 ** i / 100)
const TOKENS = Array.from({ length: 14 }, (_, i) => 4 ** i)
const LABELS = [
  ...['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model', 'server.address', 'server.port'],
  'error.type',
] as const

/** The counters of one kind of attempt. Finding them takes longer than counting. */
type Meter = {
  duration: Spread
  firstChunk: Spread
  outputChunk: Spread
  addTokens(input: number, output: number): void
}

/** The metrics of the conventions for generative AI. Only a collector gets them: /metrics has families of our own. */
export class ModelMetrics {
  readonly families: readonly MetricFamily[]
  readonly #duration: Histogram
  readonly #firstChunk: Histogram
  readonly #outputChunk: Histogram
  readonly #tokens: ReturnType<typeof tokenFamilies>
  readonly #parts: SpanParts
  /** By outcome. */
  readonly #meters = new WeakMap<TracedTarget, Map<string, Meter>>()

  constructor(parts: SpanParts) {
    this.#parts = parts
    const { metrics: names } = parts.names
    const timed = { type: 'histogram', labels: LABELS, unit: 's' } as const
    const duration = { ...timed, name: names.duration!, help: 'Duration of a request to a model.' }
    const first = { ...timed, name: names.firstChunk!, help: 'Time from a request to the first chunk of its answer.' }
    const next = { ...timed, name: names.outputChunk!, help: 'Time from one chunk of an answer to the next one.' }
    this.#duration = new Histogram(duration, DURATIONS)
    this.#firstChunk = new Histogram(first, DURATIONS)
    this.#outputChunk = new Histogram(next, DURATIONS)
    this.#tokens = tokenFamilies(names)
    const all = [this.#duration, this.#firstChunk, this.#outputChunk, ...this.#tokens.counted]
    this.families = all.map(({ family }) => family)
  }

  /** Counts every attempt of a call, whether its trace is sampled or not. */
  count(call: Call, operation: string, endedAt: number): void {
    const { record } = call
    const last = record.attempts.length - 1
    record.attempts.forEach((attempt, index) => {
      const meter = this.#meterOf(this.#parts.ofTarget(attempt, operation), attempt)
      observe(meter.duration, lasted(attempt, index, record, endedAt) / 1000)
      if (index === last) countAnswer(meter, call, attempt)
    })
  }

  #meterOf(target: TracedTarget, attempt: AttemptRecord): Meter {
    const found = this.#meters.get(target)?.get(attempt.outcome)
    if (found) return found
    const made = this.#makeMeter(target, attempt)
    const others = this.#meters.get(target) ?? []
    this.#meters.set(target, new Map([...others, [attempt.outcome, made]]))
    return made
  }

  #makeMeter({ operation, provider, model, address, port }: TracedTarget, attempt: AttemptRecord): Meter {
    const where = [operation, provider, model, address ?? '', port === null ? '' : String(port)]
    const labels = [...where, isFailed(attempt) ? attempt.outcome : '']
    return {
      duration: this.#duration.spread(labels),
      firstChunk: this.#firstChunk.spread(labels),
      outputChunk: this.#outputChunk.spread(labels),
      addTokens: this.#tokens.counting(where),
    }
  }
}

function countAnswer(meter: Meter, { record, spending, trace }: Call, { startedAt }: AttemptRecord): void {
  const { firstTokenAt } = record
  const { tokens } = spending.total
  if (tokens) meter.addTokens(inputOf(tokens), outputOf(tokens))
  if (firstTokenAt !== null) observe(meter.firstChunk, (firstTokenAt - startedAt) / 1000)
  for (const ms of trace?.chunkGaps ?? []) observe(meter.outputChunk, ms / 1000)
}

/** One histogram by type of token, or two counters: that depends on the version of the conventions. */
function tokenFamilies({ tokenUsage, inputTokens, outputTokens }: Names['metrics']) {
  const labels = LABELS.slice(0, -1)
  if (tokenUsage !== null) {
    const byType = { type: 'histogram', labels: [...labels, 'gen_ai.token.type'], unit: '{token}' } as const
    const usage = new Histogram({ ...byType, name: tokenUsage, help: 'Tokens of a request.' }, TOKENS)
    return { counted: [usage], counting: (where: readonly string[]) => intoHistogram(usage, where) }
  }
  const total = { type: 'counter', labels, unit: '{token}' } as const
  const input = new Counter({ ...total, name: inputTokens!, help: 'Input tokens, with cached ones.' })
  const output = new Counter({ ...total, name: outputTokens!, help: 'Output tokens, with reasoning.' })
  return { counted: [input, output], counting: (where: readonly string[]) => intoCounters(input, output, where) }
}

function intoHistogram(usage: Histogram, where: readonly string[]): Meter['addTokens'] {
  const [input, output] = [usage.spread([...where, 'input']), usage.spread([...where, 'output'])]
  return (read, written) => {
    observe(input, read)
    observe(output, written)
  }
}

function intoCounters(input: Counter, output: Counter, where: readonly string[]): Meter['addTokens'] {
  const [inputs, outputs] = [input.cell(where), output.cell(where)]
  return (read, written) => {
    inputs.value += read
    outputs.value += written
  }
}
