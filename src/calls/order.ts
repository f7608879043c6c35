import type { Tokens } from '../money/billing/token-buckets.ts'
import { type ProblemKind, UpstreamProblem } from '../translation/wire/upstream-problem.ts'
import { type FailureKind, newSendReport, WireFailure, type SendReport } from '../translation/wire/wire.ts'

/** What a provider bills. */
export type Bill = {
  /** In USD; null if it is not known. */
  readonly cost: number | null
  /** Null or absent for work that is not paid by tokens. */
  readonly tokens?: Tokens | null | undefined
  /** The provider did not say what it did, so the gateway has estimated it. */
  readonly estimated?: boolean | undefined
  /** Something that is billed besides the tokens was not counted. */
  readonly isPartial?: boolean | undefined
  /** What was billed besides the tokens (searches, billed units), by name. */
  readonly basis?: Readonly<Record<string, number>> | undefined
  /** What the cost is made of, in USD, as far as it is known. */
  readonly components?: Readonly<Record<string, number>> | undefined
  /** The cost as the provider reported it. */
  readonly providerCost?: number | null | undefined
  /** The date of the price list that the cost was computed from. */
  readonly priceVersion?: string | null | undefined
}

/** The model that an order is for. */
export type OrderedModel = {
  readonly id: string
  readonly provider: { readonly id: string; readonly free?: boolean | undefined }
}

type OrderEnd = 'open' | 'delivered' | 'refused' | 'left' | 'handed over'

/** What the orders of a part of a call are to the whole call. */
export type OrderTerms = {
  /** Which orders belong together, for `Spending.costOfPart`. */
  readonly part?: symbol | undefined
  /** Its tokens are not those of the answer: a hook asks another model. Only its cost counts. */
  readonly isAside?: boolean | undefined
  /** A cost that would be an estimate is stated as unknown. */
  readonly hidesEstimates?: boolean | undefined
}

/** What an order costs if it is left so many milliseconds from now; undefined if that would be nothing. */
export type LikelyBill = (laterMs: number) => Bill | undefined

/**
 * What is ordered, on which terms, and by which attempt. The signal is raised when the call does not wait for the order any
 * more.
 */
export type OrderDetails = {
  readonly model: OrderedModel
  /** The key of the attempt. */
  readonly attempt: symbol
  readonly terms: OrderTerms
  readonly signal: AbortSignal
  readonly likelyBill: LikelyBill
  /**
   * The likely bill grows as long as the provider works, evenly between some moments. These are the moments, in milliseconds from now;
   * absent if it does not grow.
   */
  readonly billMoments?: (() => readonly number[]) | undefined
}

/** Is told when an order has ended, and when it gets or loses its ticket. */
type OrderWatcher = { changed(): void }

const UNWATCHED: OrderWatcher = { changed() {} }

/**
 * A request to a provider, as far as money is concerned. It runs from the moment that the request is written, and ends exactly once:
 * delivered (the provider says what it did), refused (it costs nothing), left (the call stops waiting while the provider goes on: its
 * likely bill, which is an estimate), or handed over (another execution of the job waits for it, and pays). The first end counts.
 */
export class Order {
  readonly details: OrderDetails
  /** The exchange with the provider. */
  readonly report: SendReport
  readonly #watcher: OrderWatcher
  #model: OrderedModel
  #likelyBill: LikelyBill
  #hasTicket = false
  #isDiscarded = false
  #end: OrderEnd = 'open'
  #bill: Bill | undefined

  constructor(details: OrderDetails, report: SendReport = newSendReport(), watcher = UNWATCHED) {
    this.details = details
    this.report = report
    this.#watcher = watcher
    this.#model = details.model
    this.#likelyBill = details.likelyBill
  }

  get end(): OrderEnd {
    return this.#end
  }

  get model(): OrderedModel {
    return this.#model
  }

  get isOpen(): boolean {
    return this.#end === 'open'
  }

  /** The provider may be at work on it. */
  get isRunning(): boolean {
    return this.isOpen && this.report.isWritten
  }

  /** What has to be paid; undefined if that is nothing, or not known yet. */
  get bill(): Bill | undefined {
    return this.#bill
  }

  /** Whether it can be a part of the answer. */
  get isOfUse(): boolean {
    return this.#end !== 'left' && !this.#isDiscarded
  }

  /** Its target has failed, and another one may answer. What still runs may be continued. */
  discard(): void {
    this.#isDiscarded ||= !this.isOpen
  }

  /** Another process can continue to wait for it: its ticket is stored. */
  get hasTicket(): boolean {
    return this.#hasTicket
  }

  gotTicket(): void {
    this.#hasTicket = true
    this.#watcher.changed()
  }

  /** Another ticket is stored in its place, so no other process knows of this order any more. */
  lostTicket(): void {
    this.#hasTicket = false
    this.#watcher.changed()
  }

  /** What it is for, and what it costs if it is left, is known better now. */
  expect(likelyBill: LikelyBill, model: OrderedModel = this.#model): void {
    this.#model = model
    this.#likelyBill = likelyBill
  }

  /** The provider has answered, whether or not the answer is of use. */
  delivered(bill: Bill): void {
    const isHidden = this.details.terms.hidesEstimates && (bill.estimated || bill.isPartial)
    this.#finish('delivered', isHidden ? { ...bill, cost: null, isPartial: false } : bill)
  }

  refused(): void {
    this.#finish('refused', undefined)
  }

  /**
   * The call does not wait for the answer any more. A caller who leaves, or whose time is over, does not keep the provider
   * from doing what it was asked for: otherwise a caller who leaves early would pay nothing, as often as it likes.
   */
  left(bill: Bill | undefined = this.isRunning ? this.#likelyBill(0) : undefined): void {
    if (!bill || !this.report.isWritten) return this.refused()
    const cost = this.#model.provider.free ? 0 : bill.cost
    this.#finish('left', { ...bill, cost, estimated: bill.estimated ?? cost !== 0 })
  }

  /** This order as it will be if it is left so many milliseconds from now. */
  ifLeft(laterMs: number): Order {
    if (!this.isOpen) return this
    const order = new Order({ ...this.details, model: this.#model }, this.report)
    order.left(this.isRunning ? this.#likelyBill(laterMs) : undefined)
    return order
  }

  /** Another process continues to wait for it, and pays. */
  handedOver(): void {
    this.#finish('handed over', undefined)
  }

  /** The request failed, or its answer did: the provider has refused it, or it was left, or the answer cannot be used here. */
  failed(error: unknown): void {
    if (this.#isLeft(error)) this.left()
    else this.refused()
  }

  /** The call is over. If the likely bill cannot be estimated, its cost is not known. */
  close(): void {
    if (!this.isOpen) return
    try {
      this.left()
    } finally {
      this.#finish('left', UNKNOWN)
    }
  }

  /**
   * If the provider answered with an error, or broke the connection before its answer, it bills nothing. It most likely bills an answer
   * that it has begun with a good status, whatever became of it. An error of the gateway, such as one that could not store the
   * answer, says nothing about the provider: it has done what was ordered.
   */
  #isLeft(error: unknown): boolean {
    if (!this.report.isWritten) return false
    if (error instanceof UpstreamProblem) return OF_NO_USE.has(error.kind)
    if (this.details.signal.aborted || !(error instanceof WireFailure)) return true
    return GIVEN_UP.has(error.kind) || hasBegunAnswer(this.report)
  }

  #finish(end: OrderEnd, bill: Bill | undefined): void {
    if (!this.isOpen) return
    this.#end = end
    this.#bill = bill
    this.#watcher.changed()
  }
}

/**
 * The provider has answered, and the gateway cannot use the answer: it is not whole, too deep or too large. What is no answer at all,
 * such as the page of a proxy (`garbage`) or nothing (`empty`), costs nothing: most likely no model has worked on it.
 */
const OF_NO_USE: ReadonlySet<ProblemKind> = new Set(['cut', 'unreadable'])

function hasBegunAnswer({ status }: SendReport): boolean {
  return status !== null && status >= 200 && status < 300
}

const UNKNOWN: Bill = { cost: null, estimated: true }

/** The gateway has waited for the provider for as long as it may. */
const GIVEN_UP: ReadonlySet<FailureKind> = new Set(['headers_timeout', 'first_token_timeout', 'idle_timeout'])
