import type { Logger } from 'pino'
import type { Database } from '../../platform/store/database.ts'
import { hasUnrolled, rollUpSlice } from '../../platform/store/ledger/roll-up-batches.ts'
import { giveUpLease, takeLease } from '../../platform/store/maintenance/lease.ts'

// Adds ledger lines to the roll-ups from time to time, in one process of the installation. The longer a round waits, the
// fewer rows are written for each line, and the more lines have to be added up by reports.

const ROUND_MS = 5_000
/** If the process dies, another one takes over after this time. Nothing is wrong until then: reports add more lines up. */
const LEASE = { name: 'roll-ups', forMs: 30_000 }

type RollUpNeeds = {
  db: Database
  /** Has the lease of the rounds: a name of this process that no other one has. */
  leaseHolder: string
  log: Pick<Logger, 'info' | 'error'>
  /** For tests. */
  roundMs?: number
}

export function openRollUpRounds(needs: RollUpNeeds): { close(): Promise<void> } {
  const rounds = new RollUpRounds(needs)
  let running: Promise<void> | undefined
  const timer = setInterval(begin, needs.roundMs ?? ROUND_MS).unref()
  return {
    close: async () => {
      clearInterval(timer)
      const closing = rounds.close()
      await running
      await closing
    },
  }

  function begin() {
    running ??= rounds.run().finally(() => {
      running = undefined
    })
  }
}

export class RollUpRounds {
  readonly #needs: RollUpNeeds
  #isFailing = false
  #isClosing = false

  constructor(needs: RollUpNeeds) {
    this.#needs = needs
  }

  /** Adds what there is, unless another process does. Never rejects. */
  async run(): Promise<void> {
    const { db, leaseHolder, log } = this.#needs
    try {
      // Without lines, nothing is written either.
      if (!(await hasUnrolled(db))) return
      while (!this.#isClosing && (await takeLease(db, { ...LEASE, leaseHolder })) && (await rollUpSlice(db)));
      if (this.#isFailing) log.info({}, 'ledger lines are rolled up again')
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) log.error({ error: String(error) }, 'ledger lines cannot be rolled up')
      this.#isFailing = true
    }
  }

  /** Ends after the slice that may be under way, and lets another process take over at once. */
  async close(): Promise<void> {
    this.#isClosing = true
    await giveUpLease(this.#needs.db, { name: LEASE.name, leaseHolder: this.#needs.leaseHolder }).catch(() => undefined)
  }
}
