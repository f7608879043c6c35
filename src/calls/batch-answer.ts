import type { Hold } from '../money/limits/hold.ts'
import type { LedgerLine } from '../platform/store/ledger/ledger-line.ts'
import { newSendReport } from '../translation/wire/wire.ts'
import type { Order } from './order.ts'
import type { Spending } from './spending.ts'

/** What the provider has answered in its own batch: the call reads it where it would have asked. */
export type ProviderAnswer = {
  /** The model that was asked, by our name of it. */
  readonly model: string
  readonly status: number
  readonly body: string
  /** When the batch of the provider had ended. */
  readonly at: number
  /** What was reserved of limits when the batch was handed over. */
  readonly hold: Hold
}

/**
 * The answer of a batch has been paid for, whatever becomes of it here. As long as the call has not read it, the cost is not known; the
 * order of the attempt that reads it takes its place.
 */
export class BatchAnswer {
  readonly answer: ProviderAnswer
  #order: Order | undefined
  #ledgerLine: LedgerLine | undefined
  #hasAskedMore = false

  constructor(answer: ProviderAnswer) {
    this.answer = answer
  }

  begin(spending: Spending): void {
    const { model } = this.answer
    const report = { ...newSendReport(), isWritten: true }
    const likelyBill = () => ({ cost: null, estimated: true })
    this.#order = spending.order(
      { model: { id: model, provider: { id: '' } }, attempt: Symbol(model), likelyBill },
      report,
    )
  }

  /** Whether no attempt of the call has read it yet. */
  get isUnread(): boolean {
    return this.#order?.isOpen === true
  }

  /** The attempt that reads it has an order of its own. */
  isRead(): void {
    this.#order?.refused()
  }

  /** The call has ended. What is stored of the answer is stored together with this line. */
  ended(line: LedgerLine, { paidOrders }: Pick<Spending, 'paidOrders'>): void {
    this.#ledgerLine = line
    this.#hasAskedMore = paidOrders > 1
  }

  /** Undefined as long as the call has not ended, and if it was refused before it began. */
  get ledgerLine(): LedgerLine | undefined {
    return this.#ledgerLine
  }

  /** The call has paid for more than the answer, such as a model that a hook asked: reading the answer again would order that again. */
  get hasAskedMore(): boolean {
    return this.#hasAskedMore
  }
}
