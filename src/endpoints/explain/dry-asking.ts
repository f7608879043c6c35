import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Attempt } from '../../calls/attempts/attempt.ts'
import { credentialsOf } from '../../calls/attempts/credentials.ts'
import type { AttemptTarget } from '../../calls/attempts/failures.ts'
import type { AskPlan, PlanServices } from '../../calls/attempts/plan.ts'
import { requesterOf } from '../../calls/attempts/try-targets.ts'
import type { Call } from '../../calls/call.ts'
import type { Send, WireRequest } from '../../translation/wire/wire.ts'

/** What a dry run throws in the place of an answer. */
export class NotSent extends Error {
  constructor() {
    super('This is a dry run: nothing was sent.')
  }
}

type Asking<Target extends AttemptTarget, Services extends PlanServices> = {
  plan: AskPlan<Target, Services>
  call: Call
  services: Services
  isLast: boolean
  /** What limits make of the length of an answer. */
  maxOutput: number | undefined
}

/** Asks targets as a real call does, and keeps what they would be sent. */
export class DryAsking {
  #sent: WireRequest[] | undefined

  /** What a target is asked, and the reason why nothing more is. Its answer would come next, so nothing more is known. */
  async ask<Target extends AttemptTarget, Services extends PlanServices>(
    target: Target,
    { plan, call, services, isLast, maxOutput }: Asking<Target, Services>,
  ): Promise<{ sent: WireRequest[]; stopped: unknown }> {
    const [credential] = credentialsOf(target)
    const attempt: Attempt<Target, Services> = {
      target,
      isLast,
      requester: requesterOf(plan, call),
      call,
      services,
      orderedModel: target,
      maxOutput,
      startedAt: services.monotonic(),
      key: Symbol(target.id),
      orders: [],
      verdict: { isGiven: false },
      span: { spanId: null, traceparent: null },
      credential: credential!,
    }
    const sent: WireRequest[] = []
    this.#sent = sent
    try {
      await plan.ask(attempt)
      return { sent, stopped: undefined }
    } catch (stopped) {
      return { sent, stopped }
    } finally {
      this.#sent = undefined
    }
  }

  /** Requests that are sent together are all kept; what is sent after an answer depends on the answer. */
  readonly send: Send = async (request) => {
    this.#sent?.push(request)
    await nextTurn()
    this.#sent = undefined
    throw new NotSent()
  }

  /** Whether a target is being asked. Engines that prepare a request work as in a real call. */
  get isAsking(): boolean {
    return this.#sent !== undefined
  }
}
