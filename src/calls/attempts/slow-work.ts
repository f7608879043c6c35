import { failureOf } from '../call.ts'
import type { Bill, Order } from '../order.ts'
import { Problem } from '../../contract/problems.ts'
import { type ProblemKind, UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { WireFailure, type SendReport } from '../../translation/wire/wire.ts'
import { type AttemptServices, openOrder, type Ordering } from './attempt.ts'
import type { ChosenCredential } from './credentials.ts'
import { FAILURES, type Failure, isFailure } from './failures.ts'

// A slow provider hands out a ticket, and is asked for the result with it. One order is open from the submission to the result: a
// further attempt, and another execution of a job, continue with the ticket instead of paying again.

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 15_000
const SLOWER_BY = 1.5
/** What a provider may wish for. */
const MIN_WISH_MS = 100
const MAX_WISH_MS = 30_000
/** One failed poll says nothing about work that is running and paid for; this many in a row do. */
const MAX_FAILED_POLLS = 6

export type SlowStep<Ticket, Result> =
  | { readonly done: true; readonly result: Result }
  /** `afterMs`: when the provider wants to be asked again, if it says so. */
  | { readonly done: false; readonly ticket: Ticket; readonly afterMs?: number | undefined }

/** How a provider is asked for work that takes a while. */
export type SlowProvider<Ticket, Result> = {
  submit(): Promise<SlowStep<Ticket, Result>>
  poll(ticket: Ticket): Promise<SlowStep<Ticket, Result>>
  /** Ends the work at the provider. It is not waited for, and its failure does not matter. */
  cancel?: ((ticket: Ticket) => Promise<void>) | undefined
}

/** One piece of work. */
export type SlowRequest<Ticket, Result> = {
  likelyBill(): Bill | undefined
  /** A ticket belongs to the account that it was handed out to, so the credential is that of the submission. */
  provider(reach: { credential: ChosenCredential; report: SendReport }): SlowProvider<Ticket, Result>
  billOf(result: Result): Bill
}

/** What is known about work at the provider of a target. */
export type KeptTicket<Ticket> = {
  readonly target: string
  readonly ticket: Ticket
  readonly credential: ChosenCredential
}

/** The operator may have removed the credential meanwhile. */
type InheritedTicket<Ticket> = Omit<KeptTicket<Ticket>, 'credential'> & { credential: ChosenCredential | undefined }

/** Where tickets are kept beyond this process. */
export type TicketStore<Ticket> = {
  /** Another process continues with the ticket if this one is interrupted. */
  readonly survives: boolean
  save(ticket: KeptTicket<Ticket>): Promise<void>
  /** Another target does the work from now on. */
  moved(target: string): Promise<void>
}

/** What polls need of the attempt that makes them. */
type Asking = Ordering & {
  readonly target: { readonly id: string }
  readonly credential: ChosenCredential
  readonly services: Pick<AttemptServices, 'sleep'>
}

type Work<Ticket> = {
  readonly target: string
  readonly order: Order
  readonly credential: ChosenCredential
  ticket: Ticket | undefined
  /** An attempt waits for it now. */
  isAsked: boolean
  /** Ends the work at its provider; undefined as long as no attempt has asked for it with its ticket. */
  cancel: (() => Promise<void>) | undefined
}

type Asked<Ticket> = {
  name: string
  work: Work<Ticket>
  provider: SlowProvider<Ticket, unknown>
  signal: AbortSignal
}

/** All work of a call at slow providers. Without a store, no other process continues it. */
export class SlowWork<Ticket> {
  readonly #works = new Map<string, Work<Ticket>>()
  readonly #store: TicketStore<Ticket> | undefined
  /** The order whose ticket is in the store, which has one for each job. */
  #stored: Order | undefined

  constructor(store?: TicketStore<Ticket>) {
    this.#store = store
  }

  /** Work that an earlier execution has submitted, and the order for it. No other account is asked about the ticket. */
  inherit({ target, ticket, credential }: InheritedTicket<Ticket>, order: Order): void {
    this.#hasStored(order)
    if (credential) this.#works.set(target, { target, ticket, credential, order, isAsked: false, cancel: undefined })
    else order.left()
  }

  /**
   * Submits the work of this name, unless that was done before, and waits for its result. The signal of the call ends the work, also
   * at its provider.
   */
  async ask<Result>(attempt: Asking, request: SlowRequest<Ticket, Result>, name = attempt.target.id): Promise<Result> {
    const work = this.#open(name, attempt, request)
    const { credential, order } = work
    const provider = request.provider({ credential, report: order.report })
    try {
      const result = await this.#wait(work, provider, attempt)
      order.delivered(request.billOf(result))
      this.#works.delete(name)
      return result
    } catch (error) {
      await this.#failed({ name, work, provider, signal: attempt.call.signal }, error)
      throw failureOf(attempt.call, error)
    } finally {
      work.isAsked = false
    }
  }

  /** Ends the work at other targets when this one takes over, also work that no attempt of this execution has asked for. */
  async moveTo(target: string): Promise<void> {
    const others = [...this.#works].filter(([, work]) => work.target !== target && !work.isAsked)
    if (others.length > 0) await this.#leaveFor(target, others)
  }

  /** No attempt follows. Another execution continues with the work whose ticket it knows; all other work is left. */
  async end(signal: AbortSignal): Promise<void> {
    for (const [name, { order }] of [...this.#works]) {
      if (!this.#isContinued(order, signal)) continue
      this.#works.delete(name)
      order.handedOver()
    }
    await this.#leave([...this.#works])
  }

  /** Whether another execution continues with this order. */
  #isContinued({ hasTicket }: Order, signal: AbortSignal): boolean {
    return this.#store?.survives === true && hasTicket && isInterrupted(signal)
  }

  /** This execution continues with the target, so none that follows may continue with what is left here. */
  async #leaveFor(target: string, works: readonly (readonly [string, Work<Ticket>])[]): Promise<void> {
    await this.#store?.moved(target)
    this.#hasStored(undefined)
    await this.#leave(works)
  }

  async #leave(works: readonly (readonly [string, Work<Ticket>])[]): Promise<void> {
    // This comes first: the providers may take a while.
    for (const [name, { order }] of works) {
      this.#works.delete(name)
      order.left()
    }
    await Promise.all(works.map(([, { cancel }]) => cancel?.()))
  }

  /** The ticket of this order has replaced the one in the store. This execution alone can pay for the order that had it. */
  #hasStored(order: Order | undefined): void {
    this.#stored?.lostTicket()
    order?.gotTicket()
    this.#stored = order
  }

  #open(name: string, attempt: Asking, { likelyBill }: SlowRequest<Ticket, unknown>): Work<Ticket> {
    const begun = this.#works.get(name)
    if (begun?.order.isOpen) {
      begun.isAsked = true
      begun.order.expect(likelyBill)
      attempt.orders.push(begun.order)
      return begun
    }
    const { target, credential } = attempt
    const order = openOrder(attempt, likelyBill)
    const work = { target: target.id, credential, order, isAsked: true, ticket: undefined, cancel: undefined }
    this.#works.set(name, work)
    return work
  }

  /** Polls at growing intervals, or when the provider wants it. */
  async #wait<Result>(
    work: Work<Ticket>,
    provider: SlowProvider<Ticket, Result>,
    { call: { signal }, services: { sleep } }: Asking,
  ): Promise<Result> {
    let wait = FIRST_WAIT_MS
    let failed = 0
    for (let isFirst = true; ; isFirst = false) {
      let ms = wait
      try {
        const step = await (work.ticket === undefined ? provider.submit() : provider.poll(work.ticket))
        if (step.done) return step.result
        if (work.ticket === undefined) await this.#keep(work, step.ticket, provider)
        work.ticket = step.ticket
        failed = 0
        ms = step.afterMs === undefined ? wait : wished(step.afterMs)
      } catch (error) {
        failed++
        if (work.ticket === undefined || signal.aborted || failed >= MAX_FAILED_POLLS || !mayPass(error)) throw error
        const requested = error instanceof UpstreamProblem ? (error.retryAfterSeconds ?? 0) * 1_000 : 0
        ms = Math.max(wait, Math.min(requested, MAX_WAIT_MS))
      }
      if (ms > 0) await sleep(ms, signal)
      if (!isFirst || ms > 0) wait = Math.min(wait * SLOWER_BY, MAX_WAIT_MS)
    }
  }

  /** A ticket that is not stored is of no use to another process, so the work is ended. */
  async #keep(work: Work<Ticket>, ticket: Ticket, provider: SlowProvider<Ticket, unknown>): Promise<void> {
    try {
      const { target, credential } = work
      await this.#store?.save({ target, credential, ticket })
      if (this.#store?.survives) this.#hasStored(work.order)
    } catch (error) {
      work.order.left()
      await provider.cancel?.(ticket).catch(() => undefined)
      throw error
    }
  }

  /** What a failure says about the order, and about the work at the provider. */
  async #failed({ name, work, provider, signal }: Asked<Ticket>, error: unknown): Promise<void> {
    const { order, target, ticket } = work
    if (ticket === undefined) {
      this.#works.delete(name)
      return order.failed(error)
    }
    if (this.#isContinued(order, signal)) return order.handedOver()
    work.cancel = async () => await provider.cancel?.(ticket).catch(() => undefined)
    if (signal.aborted) return await this.#leave([[name, work]])
    // It may still be at work, and a further attempt asks for the result.
    if (mayPass(error)) return
    // The provider refuses to say anything about it, and continues with it.
    if (isFailure(error) && !saysFailed(error)) return await this.#leaveFor(target, [[name, work]])
    // The provider says that it has failed, or the gateway cannot use the result.
    this.#works.delete(name)
    order.failed(error)
  }
}

function wished(ms: number): number {
  return ms === 0 ? 0 : Math.min(MAX_WISH_MS, Math.max(MIN_WISH_MS, ms))
}

/** One poll that fails, for any reason that may be another one the next time, says nothing about the work. */
function mayPass(error: unknown): boolean {
  if (!isFailure(error) || saysFailed(error)) return false
  if (error instanceof WireFailure || error.kind === 'rate_limited') return true
  return FAILURES[error.kind].next === 'retry'
}

/** What the content of an answer to a poll says about the work. */
const OF_WORK: ReadonlySet<ProblemKind> = new Set(['context_length', 'content_policy'])

/** The work has failed if the answer to a poll says so. An error status (a key that is refused, an unknown ticket) is about the poll. */
function saysFailed(error: Failure): boolean {
  if (!(error instanceof UpstreamProblem)) return false
  return OF_WORK.has(error.kind) || (error.kind === 'server_error' && error.status === undefined)
}

/** An interrupted job continues in another process or after a restart. A deadline or a caller who left ends the work. */
export function isInterrupted({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof Problem)
}
