import type { Logger } from 'pino'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import type { Journal } from './journal.ts'

const MAX_UNSAVED_LINES = 50_000

/** Ledger lines that the journal refused. They are only in memory until the store has them. */
export class UnsavedLines {
  readonly #log: Pick<Logger, 'info' | 'error'>
  readonly #max: number
  readonly #lines: LedgerLine[] = []
  #isLosing = false
  /** Lines that neither the disk nor the store took. The writer adds lines that the store refused because of what is in them. */
  lost = 0

  constructor(log: Pick<Logger, 'info' | 'error'>, max = MAX_UNSAVED_LINES) {
    this.#log = log
    this.#max = max
  }

  get count(): number {
    return this.#lines.length
  }

  /** Keeps lines as far as there is space. The others are lost. */
  keep(lines: readonly LedgerLine[], trouble: Journal['trouble']): void {
    const stored = lines.slice(0, this.#max - this.#lines.length)
    this.#lines.push(...stored)
    if (stored.length === lines.length) return
    if (!this.#isLosing) this.#log.error({ trouble }, 'ledger lines are being dropped')
    this.#isLosing = true
    this.lost += lines.length - stored.length
  }

  oldest(count: number): LedgerLine[] {
    return this.#lines.slice(0, count)
  }

  /** The store has the oldest lines now, so there is space again. */
  removeOldest(count: number): void {
    this.#lines.splice(0, count)
    if (this.#isLosing) this.#log.info({ lost: this.lost }, 'ledger lines are kept again')
    this.#isLosing = false
  }

  /** Tries the journal once more, before the process ends. */
  leaveTo(journal: Journal): void {
    if (this.#lines.length > 0) this.#lines.splice(0, journal.append(this.#lines))
  }

  /** The process ends: what is still here is lost. */
  giveUp(): void {
    const lines = this.#lines.length
    this.lost += lines
    if (lines > 0) this.#log.error({ lines }, 'ledger lines are lost')
    this.#lines.length = 0
  }
}
