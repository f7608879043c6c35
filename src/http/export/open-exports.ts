import { problem } from '../../contract/problems.ts'
import { Slots } from '../../base/fairness/slots.ts'

// Exports of whole lists, which are made while the client reads them. A client that opens one and does not read it holds memory.

const MAX_PER_ACTOR = 4
/** Of all actors together, in this process. */
const MAX_OPEN = 20
/** A reader that takes nothing for so long has gone, or never wanted it. */
const IDLE_MS = 60_000
const LOOK_MS = 5_000

export type OpenExport = {
  /** There is something for the reader to take. */
  offer(): void
  /** The reader has taken it. What is made next may take as long as it likes. */
  taken(): void
  /** It has ended. */
  leave(): void
}

type Reader = { offeredAt: number | undefined; end: () => void }

export class OpenExports {
  readonly #monotonic: () => number
  readonly #slots = new Slots({ each: MAX_PER_ACTOR, all: MAX_OPEN })
  readonly #readers = new Set<Reader>()
  #timer: NodeJS.Timeout | undefined

  constructor(clock: { monotonic(): number }) {
    this.#monotonic = () => clock.monotonic()
  }

  /** `name`: whose it is. Throws if there are too many. `end` is called if the reader does not read. */
  open(name: string, end: () => void): OpenExport {
    this.#refuseTooMany(name)
    const leaveSlot = this.#slots.take(name)
    const reader: Reader = { offeredAt: undefined, end }
    this.#readers.add(reader)
    this.#timer ??= setInterval(() => this.endIdle(), LOOK_MS).unref()
    return {
      offer: () => {
        reader.offeredAt = this.#monotonic()
      },
      taken: () => {
        reader.offeredAt = undefined
      },
      leave: () => {
        leaveSlot()
        this.#forget(reader)
      },
    }
  }

  /** Ends exports that their clients have stopped reading. A timer calls this while any are open. */
  endIdle(): void {
    const now = this.#monotonic()
    for (const { offeredAt, end } of this.#readers) if (offeredAt !== undefined && now - offeredAt >= IDLE_MS) end()
  }

  #refuseTooMany(name: string): void {
    const full = this.#slots.fullFor(name)
    if (full === 'all') throw problem('overloaded')
    const message = `You already have ${MAX_PER_ACTOR} exports. Wait until one of them has ended.`
    if (full === 'each') throw problem('rate_limited', { message })
  }

  #forget(reader: Reader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
