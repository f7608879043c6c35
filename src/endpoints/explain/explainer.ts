import { setImmediate as nextTurn } from 'node:timers/promises'
import { type AttemptTarget, FAILURES, isFailure, toProblem } from '../../calls/attempts/failures.ts'
import type { AskPlan, DryRun, PlanServices } from '../../calls/attempts/plan.ts'
import type { Call } from '../../calls/call.ts'
import { NANOS_PER_DOLLAR } from '../../platform/config/spend-limits/limit.ts'
import type { Timeouts } from '../../platform/config/timeouts.ts'
import type { SpendingForecast } from '../../contract/admin/forecast.ts'
import { Problem } from '../../contract/problems.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import { type ForecastSource, forecast } from '../../money/limits/forecast.ts'
import { imposed } from '../../money/limits/lower-answer.ts'
import { concernsTarget, type LimitedCall } from '../../money/limits/match-limits.ts'
import { ofFreeOrPaid, type WorstCase } from '../../money/limits/worst-case.ts'
import type { Send } from '../../translation/wire/wire.ts'
import { DryAsking, NotSent } from './dry-asking.ts'
import { shownRequest } from './shown-request.ts'
import { StandIns } from './stand-ins.ts'

/** The members of all kinds of targets. */
type AnyTarget = AttemptTarget & {
  note?: Note | undefined
  timeouts?: Partial<Timeouts> | undefined
  entry?: (AttemptTarget['entry'] & { checked?: string }) | undefined
  /** Of a task. */
  price?: object | null
}

type ExplainedTarget = Awaited<ReturnType<Explainer['explained']>>

/**
 * Looks at the plan of a call: it lets the plan ask each of its targets, and keeps what would be sent. The functions that ask are those
 * of real calls, so this is what a provider would receive.
 */
export class Explainer implements DryRun {
  readonly files = new StandIns()
  readonly skippedHooks: string[] = []
  readonly targets: ExplainedTarget[] = []
  /** The call whose plan was read. */
  call: Call | undefined
  readonly #limits: ForecastSource
  readonly #timeouts: Timeouts
  readonly #asking = new DryAsking()
  #engines = new Set<string>()

  constructor(limits: ForecastSource, timeouts: Timeouts) {
    this.#limits = limits
    this.#timeouts = timeouts
  }

  async read<Target extends AttemptTarget, Services extends PlanServices>(
    plan: AskPlan<Target, Services>,
    call: Call,
    services: Services,
  ): Promise<never> {
    this.call = call
    let refusal: unknown
    for (const [index, target] of plan.targets.entries()) {
      // A request may be large, so others get their turn.
      await nextTurn()
      const isLast = index === plan.targets.length - 1
      try {
        this.targets.push(await this.explained(target, isLast, { plan, call, services }))
      } catch (error) {
        // As in a real call: another target may accept what this one cannot.
        if (!isFailure(error) && !(error instanceof Problem && error.status < 500)) throw error
        refusal = isFailure(error) ? toProblem(error, target, call.record.reasonGuards) : error
        if (isFailure(error) && FAILURES[error.kind].next === 'stop') break
      }
    }
    throw this.targets.length === 0 ? refusal : new NotSent()
  }

  standIn(file: Parameters<DryRun['standIn']>[0]): Uint8Array {
    return this.files.of(file)
  }

  skipped(hook: string): void {
    this.skippedHooks.push(hook)
  }

  /** The notes say so. */
  skippedTools(): void {}

  get send(): Send {
    return this.#asking.send
  }

  get isAsking(): boolean {
    return this.#asking.isAsking
  }

  /** Local targets ask an engine of the gateway, and no provider. */
  usesEngine(name: string): never {
    this.#engines.add(name)
    throw new NotSent()
  }

  async explained<Target extends AttemptTarget, Services extends PlanServices>(
    target: Target,
    isLast: boolean,
    { plan, call, services }: { plan: AskPlan<Target, Services>; call: Call; services: Services },
  ) {
    call.record.replaceNotes([])
    await plan.ready?.(target)
    const { spending, worst, maxOutput } = await this.#forecast(target, plan, call)
    this.#engines = new Set()
    const { sent, stopped } = await this.#asking.ask(target, { plan, call, services, isLast, maxOutput })
    if (stopped !== undefined && sent.length === 0 && this.#engines.size === 0) throw stopped
    const hidden = { address: target.provider.addressCredential, files: this.files }
    const requests = await Promise.all(sent.map((request) => shownRequest(request, hidden)))
    return {
      ...this.#about(target),
      request: requests[0] ?? null,
      ...(requests.length > 1 && { further_requests: requests.slice(1) }),
      ...(this.#engines.size > 0 && { engines: [...this.#engines] }),
      notes: notesOf(target, call),
      estimated_cost: plan.expectedCost?.(target) ?? null,
      worst_case: {
        cost: worst.usd === null ? null : worst.usd / NANOS_PER_DOLLAR,
        input_tokens: worst.inputTokens,
        output_tokens: worst.outputTokens,
      },
      spending,
    }
  }

  #about(target: AnyTarget) {
    const { id, provider, credential, entry, price, timeouts = this.#timeouts } = target
    return {
      model: id,
      provider: provider.id,
      ...(provider.dialect && { dialect: provider.dialect }),
      credentials: credential === undefined ? provider.credentials.length : 1,
      ...(credential !== undefined && { credential }),
      limits: timeouts,
      known: (entry ?? price ?? undefined) !== undefined,
      price_version: entry?.checked ?? null,
    }
  }

  /** As in a real attempt, the tokens of a prompt are counted only if its bytes do not fit. */
  async #forecast<Target extends AttemptTarget>(
    target: Target,
    plan: Pick<AskPlan<Target>, 'worstCase' | 'exactCase'>,
    call: Call,
  ) {
    const limited = { caller: call.caller, endpoint: call.endpoint, labels: call.record.labels }
    const worst = ofFreeOrPaid(plan.worstCase(target), target)
    const byBytes = await forecast({ call: limited, target, worst }, this.#limits)
    const exact = byBytes.outcome === 'passes' ? undefined : await plan.exactCase?.(target)
    if (!exact) return { spending: byBytes, worst, maxOutput: this.#maxOutput(byBytes, worst, limited, target) }
    const counted = ofFreeOrPaid(exact, target)
    const spending = await forecast({ call: limited, target, worst: counted }, this.#limits)
    return { spending, worst: counted, maxOutput: this.#maxOutput(spending, counted, limited, target) }
  }

  /** What limits make of the length of an answer. */
  #maxOutput(
    { outcome, max_output_tokens }: SpendingForecast,
    worst: WorstCase,
    call: LimitedCall,
    target: AttemptTarget,
  ) {
    if (max_output_tokens !== null) return max_output_tokens
    if (outcome !== 'passes') return undefined
    const limits = this.#limits.limitsOf(call).filter((limit) => concernsTarget(limit, target))
    return imposed(worst, limits)
  }
}

/** Most endpoints note what they say about a model when they have its answer. */
function notesOf({ note }: AnyTarget, { record: { notes } }: Call): Note[] {
  return note && !notes.includes(note) ? [note, ...notes] : [...notes]
}
