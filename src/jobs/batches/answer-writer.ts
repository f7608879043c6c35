import { MB } from '../../base/units/units.ts'
import { type LineAnswer, storeAnswers } from '../../platform/store/batches/batch-lines.ts'
import type { BatchFence } from '../../platform/store/batches/batch-runs.ts'
import type { Database } from '../../platform/store/database.ts'
import { retryWhileUnavailable } from '../../platform/store/retry-while-unavailable.ts'

const ANSWERS_AT_ONCE = 100
const CHARS_AT_ONCE = 4 * MB
/** An answer may have cost money, so storing it is retried for a while. */
const STORE_FOR_MS = 60_000
const STORE_PAUSE_MS = 250
/** How often the progress of the batch is counted. */
const COUNT_MS = 1_000

type Waiting = { answer: LineAnswer; stored: PromiseWithResolvers<boolean> }

/** Writes answers as they come: those that come while some are written follow together. */
export class AnswerWriter {
  readonly #db: Database
  readonly #batch: BatchFence
  readonly #monotonic: () => number
  #waiting: Waiting[] = []
  #isWriting = false
  #countedAt: number

  constructor(batch: BatchFence, { db, monotonic }: { db: Database; monotonic(): number }) {
    this.#db = db
    this.#batch = batch
    this.#monotonic = monotonic
    this.#countedAt = monotonic()
  }

  /** Resolves when the answer is stored; false if the batch belongs to another attempt. */
  add(answer: LineAnswer): Promise<boolean> {
    const stored = Promise.withResolvers<boolean>()
    this.#waiting.push({ answer, stored })
    if (!this.#isWriting) void this.#writeAll()
    return stored.promise
  }

  /** Stores all of these answers together, or none. False if the batch belongs to another attempt. */
  async store(answers: readonly LineAnswer[]): Promise<boolean> {
    if (answers.length === 0) return true
    const counts = this.#monotonic() - this.#countedAt > COUNT_MS
    if (counts) this.#countedAt = this.#monotonic()
    const write = () => storeAnswers(this.#db, this.#batch, answers, { counts })
    return await retryWhileUnavailable(write, { pauseMs: STORE_PAUSE_MS, forMs: STORE_FOR_MS })
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup()
      await this.store(group.map(({ answer }) => answer)).then(
        (isStored) => {
          for (const { stored } of group) stored.resolve(isStored)
        },
        (error: unknown) => {
          for (const { stored } of group) stored.reject(error)
        },
      )
    }
    this.#isWriting = false
  }

  #nextGroup(): Waiting[] {
    let chars = 0
    const end = this.#waiting.findIndex(({ answer }, index) => {
      chars += answer.answer.length
      return index >= ANSWERS_AT_ONCE || (index > 0 && chars > CHARS_AT_ONCE)
    })
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
  }
}
