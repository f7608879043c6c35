import type { AttemptTarget } from '../../calls/attempts/failures.ts'
import type { AskPlan, PlanServices } from '../../calls/attempts/plan.ts'
import type { Call } from '../../calls/call.ts'
import { atBatchPrice } from '../../money/billing/batch-price.ts'
import type { HeldWindow } from '../../money/limits/hold.ts'
import { imposed } from '../../money/limits/lower-answer.ts'
import type { SpendLimits } from '../../money/limits/spend-limits.ts'
import { ofFreeOrPaid } from '../../money/limits/worst-case.ts'
import type { Model } from '../../platform/catalog/catalog.ts'
import type { BatchApi } from '../../platform/providers/provider.ts'
import { isRecord } from '../../base/schema/record.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import type { Send, WireRequest } from '../../translation/wire/wire.ts'
import { DryAsking, NotSent } from '../explain/dry-asking.ts'
import type { DryRunner } from '../explain/dry-services.ts'

/** What a provider gets for a line in a batch of its own. */
export type EncodedLine = {
  provider: string
  /** The model, by our name of it and by the provider's. */
  model: string
  modelName: string
  /** The name of the only credential that the target may use. */
  credential: string | undefined
  /** The end of the address, such as `/chat/completions`. */
  endpoint: string
  body: string
  /** What it can use at most of limits, at the price of batches. */
  windows: HeldWindow[]
}

/**
 * Looks at the plan of a line: what its first target would be sent. A line that needs more than one request and no file of the caller, or
 * a model before it is sent, is left to the gateway; so is one whose price in a batch is not known.
 */
export class LineEncoder implements DryRunner {
  readonly #limits: Pick<SpendLimits, 'needsOf' | 'limitsOf'>
  readonly #asking = new DryAsking()
  #isOfGateway = false
  #encoded: EncodedLine | undefined

  constructor(limits: Pick<SpendLimits, 'needsOf' | 'limitsOf'>) {
    this.#limits = limits
  }

  /** What was found since it was last taken; undefined if the gateway has to ask. */
  take(): EncodedLine | undefined {
    const encoded = this.#isOfGateway ? undefined : this.#encoded
    this.#isOfGateway = false
    this.#encoded = undefined
    return encoded
  }

  async read<Target extends AttemptTarget, Services extends PlanServices>(
    plan: AskPlan<Target, Services>,
    call: Call,
    services: Services,
  ): Promise<never> {
    // A part of a call is work that is done before it.
    if (call.isPart || this.#encoded) this.#isOfGateway = true
    const [target] = plan.targets
    if (target) this.#encoded = await this.#encode(target, plan, { call, services })
    throw new NotSent()
  }

  async #encode<Target extends AttemptTarget, Services extends PlanServices>(
    found: Target,
    plan: AskPlan<Target, Services>,
    { call, services }: { call: Call; services: Services },
  ): Promise<EncodedLine | undefined> {
    const { provider } = found
    const { batches: api } = provider
    const target = api && !api.isOff && !provider.simulated ? inBatch(found, api) : undefined
    if (!api || !target) return undefined
    await plan.ready?.(target)
    const worst = ofFreeOrPaid(plan.worstCase(target), target)
    const limited = { caller: call.caller, endpoint: call.endpoint, labels: call.record.labels }
    const windows = this.#limits.needsOf(limited, target, worst)
    if (!windows) return undefined
    const maxOutput = imposed(worst, this.#limits.limitsOf(limited))
    // What keeps it from being sent, the gateway finds out when it asks.
    const { sent } = await this.#asking.ask(target, { plan, call, services, isLast: true, maxOutput })
    const request = sent.length === 1 ? sent[0] : undefined
    const endpoint = request && endpointOf(request, provider.baseUrl, api)
    if (!request || endpoint === undefined || typeof request.body !== 'string' || hasTier(request.body))
      return undefined
    const names = { provider: provider.id, model: target.id, modelName: target.model, credential: target.credential }
    return { ...names, endpoint, body: request.body, windows }
  }

  get send(): Send {
    return this.#asking.send
  }

  get isAsking(): boolean {
    return this.#asking.isAsking
  }

  usesEngine(): never {
    throw new NotSent()
  }

  standIn(): Uint8Array {
    this.#isOfGateway = true
    return new Uint8Array()
  }

  skipped(): void {
    this.#isOfGateway = true
  }

  skippedTools(): void {
    this.#isOfGateway = true
  }
}

type Modelled = AttemptTarget & { model: string; entry?: Model | undefined }

/** The target at the price of batches; undefined if it is no model, or if that price is not known. */
function inBatch<Target extends AttemptTarget>(target: Target, api: BatchApi): (Target & Modelled) | undefined {
  if (!isModelled(target)) return undefined
  const entry = target.entry && atBatchPrice(target.entry, api)
  return entry && { ...target, entry }
}

function isModelled<Target extends AttemptTarget>(target: Target): target is Target & Modelled {
  return 'model' in target && typeof target.model === 'string'
}

/** Undefined if the batches of the provider are not for this endpoint. */
function endpointOf({ method, url }: WireRequest, baseUrl: string, { endpoints }: BatchApi): string | undefined {
  if (method !== 'POST' || !url.startsWith(baseUrl)) return undefined
  return endpoints.find((one) => (one.startsWith(':') ? url.endsWith(one) : url === `${baseUrl}${one}`))
}

const USUAL_TIERS: ReadonlySet<unknown> = new Set([undefined, null, 'auto', 'default', 'standard_only'])

/** A batch is a tier of its own, and nothing of it is streamed. */
function hasTier(body: string): boolean {
  const fields = tryParse(body)
  return !isRecord(fields) || !USUAL_TIERS.has(fields.service_tier) || fields.speed === 'fast' || fields.stream === true
}
