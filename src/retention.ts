import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { expireAlerts } from './store/alerts/alerts.ts'
import type { Database } from './store/database.ts'
import { expireDeliveries } from './store/deliveries.ts'
import { expireJobs, expireResponses } from './store/job-sweep.ts'
import { expireLines, expiryOf } from './store/ledger/expire-lines.ts'
import { createPartitions, dropPartitions } from './store/ledger/partitions.ts'
import { expireRates, expireWindows } from './store/limits/expire-windows.ts'
import { giveUpLease, takeLease } from './store/maintenance/lease.ts'
import { freePages, vacuumSome } from './store/maintenance/vacuum.ts'
import { expireConversations } from './store/responses/conversations.ts'

// Removes what is older than its retention, in one process at a time. It works in small batches with pauses between them, so
// that a job submission waits for one batch at most, and the store is free at least half of the time.

const DAY_MS = 86_400_000
const ROUND_MS = 60_000
/** How long alerts that are over can be looked up. */
const ALERT_DAYS = 90
const LEASE = { name: 'retention', forMs: 180_000 }
const ROWS_AT_ONCE = 100
const LINES_AT_ONCE = 500
const PAUSE_MS = 10
/** Free space that the file keeps, because it will be needed again. */
const SPARE_BYTES = 16 * 1024 * 1024
/** With less free space than this, a file that cannot shrink is not worth a message. */
const NOTABLE_BYTES = 128 * 1024 * 1024

type RetentionSetting = 'ledgerRetentionDays' | 'jobRetentionDays' | 'deliveryRetentionDays' | 'responseRetentionDays'

export type RetentionOptions = {
  db: Database
  log: Pick<Logger, 'info' | 'error'>
  config(): Pick<Config, RetentionSetting>
  /** A name of this process that no other one has. */
  holder: string
  now(): number
  /** For tests. */
  roundMs?: number
  spareBytes?: number
}

export function openRetention(options: RetentionOptions): { close(): Promise<void> } {
  const stopping = new AbortController()
  const round = new Retention(options, stopping.signal)
  let running: Promise<void> | undefined
  const timer = setInterval(begin, options.roundMs ?? ROUND_MS).unref()
  begin()
  return {
    close: async () => {
      clearInterval(timer)
      stopping.abort()
      await running
    },
  }

  function begin() {
    running ??= round.run().finally(() => {
      running = undefined
    })
  }
}

/** One round after the other. */
export class Retention {
  readonly #options: RetentionOptions
  readonly #signal: AbortSignal | undefined
  #leasedAt = 0
  #saidThatItCannotShrink = false

  constructor(options: RetentionOptions, signal?: AbortSignal) {
    this.#options = options
    this.#signal = signal
  }

  async run(): Promise<void> {
    const { db, log, config, holder } = this.#options
    try {
      if (!(await this.#lease())) return
      await this.#inBatches(ROWS_AT_ONCE, (limit) =>
        expireJobs(db, { keepMs: config().jobRetentionDays * DAY_MS, limit }),
      )
      const responsesMs = config().responseRetentionDays * DAY_MS
      await this.#inBatches(ROWS_AT_ONCE, (limit) => expireResponses(db, { keepMs: responsesMs, limit }))
      await this.#inBatches(ROWS_AT_ONCE, (limit) => expireConversations(db, limit))
      const keepMs = config().deliveryRetentionDays * DAY_MS
      await this.#inBatches(ROWS_AT_ONCE, (limit) => expireDeliveries(db, { keepMs, limit }))
      await this.#inBatches(ROWS_AT_ONCE, (limit) => expireAlerts(db, { keepMs: ALERT_DAYS * DAY_MS, limit }))
      await this.#expireLedger()
      if (db.kind === 'sqlite') await this.#shrink()
      await giveUpLease(db, { name: LEASE.name, holder })
    } catch (error) {
      log.error({ error: String(error) }, 'what is older than its retention cannot be removed')
    }
  }

  async #expireLedger(): Promise<void> {
    const { db, log, config, now } = this.#options
    const before = await expiryOf(db, config().ledgerRetentionDays * DAY_MS)
    if (db.kind === 'postgres') {
      await createPartitions(db, now())
      const dropped = await dropPartitions(db, before)
      if (dropped.length > 0) log.info({ partitions: dropped }, 'months of the ledger were removed')
    }
    const lines = await this.#inBatches(LINES_AT_ONCE, (limit) => expireLines(db, { before, limit }))
    await this.#inBatches(ROWS_AT_ONCE, (limit) => expireWindows(db, { before, limit }))
    await this.#inBatches(ROWS_AT_ONCE, (limit) => expireRates(db, limit))
    if (lines > 0) log.info({ lines, before: new Date(before).toISOString() }, 'lines of the ledger were removed')
  }

  async #shrink(): Promise<void> {
    const { db, log, spareBytes = SPARE_BYTES } = this.#options
    const { bytes, canShrink } = await freePages(db)
    if (!canShrink && bytes > NOTABLE_BYTES && !this.#saidThatItCannotShrink) {
      log.info({ bytes }, 'the database file has free space; `gatehouse migrate --vacuum` returns it to the disk')
      this.#saidThatItCannotShrink = true
    }
    while (canShrink && (await freePages(db)).bytes > spareBytes && (await this.#mayGoOn())) {
      await this.#withPause(() => vacuumSome(db))
    }
  }

  /** Returns how many rows were removed. */
  async #inBatches(limit: number, expire: (limit: number) => Promise<number>): Promise<number> {
    let total = 0
    for (let removed = limit; removed === limit && (await this.#mayGoOn()); total += removed)
      removed = await this.#withPause(() => expire(limit))
    return total
  }

  /** Pauses for as long as the work took. */
  async #withPause<T>(work: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    const result = await work()
    await sleep(PAUSE_MS + performance.now() - begun, undefined, {
      ...(this.#signal && { signal: this.#signal }),
    }).catch(() => {})
    return result
  }

  async #mayGoOn(): Promise<boolean> {
    if (this.#signal?.aborted) return false
    return performance.now() - this.#leasedAt < LEASE.forMs / 2 || (await this.#lease())
  }

  async #lease(): Promise<boolean> {
    const { db, holder } = this.#options
    this.#leasedAt = performance.now()
    return await takeLease(db, { ...LEASE, holder })
  }
}
