import { inputOf, outputOf, sumOfTokens, type Tokens, withoutDust } from '../money/billing/token-buckets.ts'
import type { Counted, ModelUse, Reservation } from '../money/limits/reservation.ts'
import type { Charge } from '../platform/store/limits/charges.ts'
import type { SendReport } from '../translation/wire/wire.ts'
import { Order, type OrderDetails, type OrderTerms } from './order.ts'

/** What some orders have cost together. */
type Spent = {
  /** In USD; null if the price of one of them is not known. */
  readonly cost: number | null
  /** The cost, or a part of it, is an estimate. */
  readonly estimated: boolean
  /** Of the answer; null if it is not paid by tokens. */
  readonly tokens: Tokens | null
  readonly tokensAreEstimated: boolean
}

/** What all parts of a call have in common. */
class Book {
  readonly signal: AbortSignal
  readonly orders: Order[]
  reservation: Reservation | undefined
  missesFees = false
  charges: readonly Charge[] | null | undefined
  /** What the spending would be if all orders were left. */
  readonly isForeseen: boolean
  readonly listeners: (() => void)[] = []
  #total: Spent | undefined

  constructor(signal: AbortSignal, orders: Order[] = [], isForeseen = false) {
    this.signal = signal
    this.orders = orders
    this.isForeseen = isForeseen
  }

  /** The book as it would be if these were all of its orders, and the call had ended. */
  endedWith(orders: Order[], isForeseen: boolean): Book {
    const book = new Book(this.signal, orders, isForeseen)
    book.reservation = this.reservation
    book.missesFees = this.missesFees
    book.charges = this.reservation?.chargesOf(usesOf(orders)) ?? null
    return book
  }

  /** What all orders have cost together. */
  get total(): Spent {
    this.#total ??= spentOn(this.orders)
    return this.#total
  }

  /** Something was ordered, or an order has ended, or its ticket is stored. */
  changed(): void {
    this.#total = undefined
    for (const listener of this.listeners) listener()
  }
}

const NO_TERMS: OrderTerms = {}

/**
 * What a call spends, and the only writer of money. Every request to a provider is an order. The ledger line is the sum of the orders,
 * and what limits are charged is derived from the same orders, per model.
 */
export class Spending {
  readonly #book: Book
  readonly #terms: OrderTerms

  constructor(of: AbortSignal | Book, terms: OrderTerms = NO_TERMS) {
    this.#book = of instanceof AbortSignal ? new Book(of) : of
    this.#terms = terms
  }

  /** For a part of the call, such as a hook, whose orders the whole call pays. */
  part(terms: OrderTerms = NO_TERMS): Spending {
    return new Spending(this.#book, { ...this.#terms, ...terms })
  }

  /** A request is about to be sent. After the end of the call none may be: its cost would be in no ledger line. */
  order(
    { model, attempt, likelyBill, billMoments }: Omit<OrderDetails, 'terms' | 'signal'>,
    report?: SendReport,
  ): Order {
    const book = this.#book
    if (book.charges !== undefined) throw new Error('The call has ended, so nothing can be ordered any more.')
    const details = { model, attempt, likelyBill, billMoments, terms: this.#terms, signal: book.signal }
    const order = new Order(details, report, book)
    book.orders.push(order)
    book.changed()
    return order
  }

  /** Calls this too whenever something is ordered, when an order has ended, and when its ticket is stored. */
  whenChanged(listener: () => void): void {
    this.#book.listeners.push(listener)
  }

  /** What the call has reserved of budgets and rate limits; undefined if none applies. */
  get reservation(): Reservation | undefined {
    return this.#book.reservation
  }

  /** The first attempt to which a limit applies makes the reservation, and all others of the call share it. */
  reserveWith(make: () => Reservation): Reservation {
    this.#book.reservation ??= make()
    return this.#book.reservation
  }

  /** Between two turns of an answer: what earlier ones have reserved and not used pays for the next one. */
  freeUnused(): void {
    const { orders, reservation } = this.#book
    if (orders.every(({ isOpen }) => !isOpen)) reservation?.free(usesOf(orders))
  }

  /** Something will be billed besides what the orders state. */
  missesFees(): void {
    this.#book.missesFees = true
  }

  /** How many orders have to be paid so far. */
  get paidOrders(): number {
    return this.#book.orders.reduce((count, { bill }) => (bill ? count + 1 : count), 0)
  }

  /** Whether everything that was ordered has an end. A call that has not ended and has ordered nothing may still do so. */
  get isKnown(): boolean {
    const { orders, charges } = this.#book
    return charges !== undefined || (orders.length > 0 && orders.every(({ isOpen }) => !isOpen))
  }

  /** Everything: what the ledger line says. */
  get total(): Spent {
    return this.#book.total
  }

  /** What the answer has cost: orders that were left, or of targets that failed, have added nothing to it. */
  get answered(): Spent {
    const { orders, total } = this.#book
    return orders.every(isOfUse) ? total : spentOn(orders.filter(isOfUse))
  }

  /** What the orders with the mark of this part have cost, in USD; null if that is not known exactly. */
  get costOfPart(): number | null {
    const { part } = this.#terms
    const orders = this.#book.orders.filter(({ details: { terms } }) => terms.part === part)
    const { cost, estimated } = spentOn(orders)
    return estimated || orders.some(({ isOpen, bill }) => isOpen || bill?.isPartial) ? null : cost
  }

  /** Whether a provider may have got a request. */
  get hasAsked(): boolean {
    return this.#book.orders.some(({ report }) => report.isWritten)
  }

  /** Whether a request is about to be written. */
  get isAboutToAsk(): boolean {
    return this.#book.orders.some(({ isOpen, report }) => isOpen && !report.isWritten)
  }

  /** The orders of the answer that providers may be at work on. */
  get running(): readonly Order[] {
    return this.#book.orders.filter(({ isRunning, details }) => isRunning && !details.terms.isAside)
  }

  /** What will have been spent if everything is left so many milliseconds from now. */
  ifLeft(laterMs: number): Spending {
    const orders = this.#book.orders.map((order) => order.ifLeft(laterMs))
    return new Spending(this.#book.endedWith(orders, true))
  }

  /** What `ifLeft` costs grows evenly between these moments, in milliseconds from now: those of all orders that run. */
  get billMoments(): readonly number[] {
    const moments = this.#book.orders.flatMap(({ isRunning, details }) =>
      isRunning ? (details.billMoments?.() ?? []) : [],
    )
    return [...new Set(moments)].sort((one, other) => one - other)
  }

  /** The limits that the call was counted against, with what it has used of them. */
  get counted(): Counted[] {
    const { reservation, isForeseen, orders } = this.#book
    return reservation?.counted(isForeseen ? usesOf(orders) : undefined) ?? []
  }

  /** How many attempts have written a part of the answer. */
  get parts(): number {
    const written = this.#book.orders.filter(({ end, isOfUse, details }) => {
      return end === 'delivered' && isOfUse && !details.terms.isAside
    })
    return written.length < 2 ? written.length : new Set(written.map(({ details }) => details.attempt)).size
  }

  /** Something that is billed besides the tokens was not counted. */
  get isPartial(): boolean {
    const { missesFees, orders } = this.#book
    return missesFees || orders.some(({ bill }) => bill?.isPartial)
  }

  /** What was billed besides the tokens (searches, billed units), by name. */
  get basis(): Readonly<Record<string, number>> {
    return this.#sums('basis')
  }

  /** What the cost is made of, in USD, as far as it is known. */
  get components(): Readonly<Record<string, number>> {
    return this.#sums('components')
  }

  /** The cost as providers reported it; null if none did. */
  get providerCost(): number | null {
    let sum: number | null = null
    for (const { bill } of this.#book.orders) if (bill?.providerCost != null) sum = (sum ?? 0) + bill.providerCost
    return sum
  }

  /** The date of the price list that the latest cost was computed from. */
  get priceVersion(): string | null {
    return this.#book.orders.findLast(({ bill }) => bill?.priceVersion)?.bill?.priceVersion ?? null
  }

  /**
   * Ends what is still open, and the reservation. Returns what limits are charged. The first time counts. Everything has ended also
   * if this throws, because an order could not be estimated.
   */
  close(): readonly Charge[] | null {
    const book = this.#book
    if (book.charges !== undefined) return book.charges
    try {
      closeAll(book.orders)
    } finally {
      book.charges = book.reservation?.settle(usesOf(book.orders)) ?? null
    }
    return book.charges
  }

  /** What is left to pay if another execution pays for everything that has a ticket. */
  withoutTickets(): Spending {
    const { orders, isForeseen } = this.#book
    const unpaid = orders.filter(({ hasTicket }) => !hasTicket)
    return new Spending(this.#book.endedWith(unpaid, isForeseen))
  }

  #sums(name: 'basis' | 'components'): Readonly<Record<string, number>> {
    const { orders } = this.#book
    if (orders.length === 1) return orders[0]!.bill?.[name] ?? NOTHING
    const sums: Record<string, number> = {}
    for (const { bill } of orders) {
      const amounts = bill?.[name]
      for (const key in amounts) sums[key] = (sums[key] ?? 0) + amounts[key]!
    }
    return sums
  }
}

const NOTHING: Readonly<Record<string, number>> = {}

function isOfUse(order: Order): boolean {
  return order.isOfUse
}

/** All of them, also if some cannot be estimated. */
function closeAll(orders: readonly Order[]): void {
  let failure: { error: unknown } | undefined
  for (const order of orders) {
    try {
      order.close()
    } catch (error) {
      failure = { error }
    }
  }
  if (failure) throw failure.error
}

function spentOn(orders: readonly Order[]): Spent {
  let cost: number | null = 0
  let tokens: Tokens | null = null
  let estimated = false
  let tokensAreEstimated = false
  for (const { bill, details } of orders) {
    if (!bill) continue
    cost = cost === null || bill.cost === null ? null : withoutDust(cost + bill.cost)
    estimated ||= bill.estimated === true
    if (details.terms.isAside) continue
    tokensAreEstimated ||= bill.estimated === true
    if (bill.tokens) tokens = tokens ? sumOfTokens(tokens, bill.tokens) : bill.tokens
  }
  return { cost, estimated, tokens, tokensAreEstimated }
}

function usesOf(orders: readonly Order[]): ModelUse[] {
  return orders.flatMap(({ bill, model, details: { terms } }) => {
    if (!bill) return []
    const tokens = terms.isAside ? null : bill.tokens
    return {
      model: model.id,
      provider: model.provider.id,
      cost: bill.cost,
      inputTokens: tokens ? inputOf(tokens) : 0,
      outputTokens: tokens ? outputOf(tokens) : 0,
    }
  })
}
