import type { Caller } from '../../tenants/access/caller.ts'
import type { AttemptRecord } from '../attempt-record.ts'
import type { OtlpFormat } from '../../platform/telemetry/otlp/format.ts'
import { AttributeList } from '../../platform/telemetry/otlp/span.ts'
import type { Names } from '../../platform/telemetry/semconv.ts'
import { factsOf, modelOf } from './provider-facts.ts'

const MAX_TARGETS_OF_PROVIDER = 2_000

/** What the spans and metrics of every attempt at one model of a provider have in common. */
export type TracedTarget = {
  readonly operation: string
  /** In the words of the conventions. */
  readonly provider: string
  readonly model: string
  readonly address: string | null
  readonly port: number | null
  /** `chat gpt-4o-mini` */
  readonly spanName: string
  /** All of this as attributes. */
  readonly attributes: string
}

/** The parts of spans that many spans have in common. They are written once, for as long as what they describe is in use. */
export class SpanParts {
  readonly names: Names
  readonly format: OtlpFormat
  readonly #callers = new WeakMap<Caller, string>()
  readonly #targets = new WeakMap<AttemptRecord['providerRow'], Map<string, TracedTarget>>()

  constructor(names: Names, format: OtlpFormat) {
    this.names = names
    this.format = format
  }

  /** An empty list. */
  list(): AttributeList {
    return new AttributeList(this.format)
  }

  /** The attributes of a caller. */
  ofCaller(caller: Caller): string {
    const found = this.#callers.get(caller)
    if (found !== undefined) return found
    const { attributes: names } = this.names
    const { text } = this.list()
      .add(names.accountUser, caller.user)
      .add(names.keyId, caller.keyId)
      .add(names.project, caller.project)
      .add(names.organization, caller.organization)
    this.#callers.set(caller, text)
    return text
  }

  ofTarget(attempt: AttemptRecord, operation: string): TracedTarget {
    const targets = this.#targetsOf(attempt.providerRow)
    const key = `${operation} ${attempt.model}`
    const found = targets.get(key)
    if (found) return found
    const made = this.#describe(attempt, operation)
    if (targets.size < MAX_TARGETS_OF_PROVIDER) targets.set(key, made)
    return made
  }

  #targetsOf(row: AttemptRecord['providerRow']): Map<string, TracedTarget> {
    const found = this.#targets.get(row)
    if (found) return found
    const made = new Map<string, TracedTarget>()
    this.#targets.set(row, made)
    return made
  }

  #describe(attempt: AttemptRecord, operation: string): TracedTarget {
    const { attributes: names } = this.names
    const { name: provider, address, port } = factsOf(attempt)
    const model = modelOf(attempt)
    const { text } = this.list()
      .add(names.operation, operation)
      .add(names.provider, provider)
      .add(names.requestModel, model)
      .add(names.serverAddress, address)
      .add(names.serverPort, port)
    return { operation, provider, model, address, port, spanName: `${operation} ${model}`, attributes: text }
  }
}
