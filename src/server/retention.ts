import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { GATEWAY } from '../tenants/audit/author.ts'
import { writeAuditEvents } from '../tenants/audit/audited.ts'
import type { Config } from '../platform/config/config.ts'
import { expireAlerts } from '../platform/store/alerts/alerts.ts'
import type { Database } from '../platform/store/database.ts'
import { expireBatches } from '../platform/store/batches/batches.ts'
import { expireDeliveries } from '../platform/store/deliveries/deliveries.ts'
import { expireJobs, expireResponses } from '../platform/store/jobs/job-sweep.ts'
import { expireLines, expiryOf } from '../platform/store/ledger/expire-lines.ts'
import { createPartitions, dropPartitions } from '../platform/store/ledger/partitions.ts'
import { rollUpAll } from '../platform/store/ledger/roll-up-batches.ts'
import { expireRates, expireWindows } from '../platform/store/limits/expire-windows.ts'
import { expireSessions } from '../platform/store/limits/sessions.ts'
import { giveUpLease, takeLease } from '../platform/store/maintenance/lease.ts'
import { freeBytes, vacuumSome } from '../platform/store/maintenance/vacuum.ts'
import { expireConversations } from '../platform/store/responses/conversations.ts'
import { MB, HOUR_MS, DAY_MS } from '../base/units/units.ts'

// Removes what is older than its retention, in one process at a time. It works in small batches with pauses between them, so
// that a job submission waits for one batch at most, and the store is free at least half of the time.

const ROUND_MS = 60_000
/** How long alerts that are over can be looked up. */
const ALERT_DAYS = 90
const LEASE = { name: 'retention', forMs: 180_000 }
const ROWS_AT_ONCE = 100
const NOTE_EVERY_MS = HOUR_MS
const LINES_AT_ONCE = 500
const PAUSE_MS = 10
/** Free space that the file keeps, because it will be needed again. */
const SPARE_BYTES = 16 * MB

type RetentionSetting = 'ledgerRetentionDays' | 'jobRetentionDays' | 'deliveryRetentionDays' | 'responseRetentionDays'

type RetentionOptions = {
  db: Database
  log: Pick<Logger, 'info' | 'error'>
  config(): Pick<Config, RetentionSetting>
  /** Has the lease of the removal: a name of this process that no other one has. */
  leaseHolder: string
  now(): number
  /** For tests. */
  monotonic?(): number
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
  readonly #removed = new Map<string, number>()
  #notedAt = Number.NEGATIVE_INFINITY
  #leasedAt = 0

  constructor(options: RetentionOptions, signal?: AbortSignal) {
    this.#options = options
    this.#signal = signal
  }

  async run(): Promise<void> {
    const { db, log, config, leaseHolder } = this.#options
    try {
      if (!(await this.#lease())) return
      const { jobRetentionDays, responseRetentionDays, deliveryRetentionDays } = config()
      const keep = (days: number, limit: number) => ({ keepMs: days * DAY_MS, limit })
      await this.#remove('jobs', (limit) => expireJobs(db, keep(jobRetentionDays, limit)))
      await this.#remove('batches', (limit) => expireBatches(db, keep(jobRetentionDays, limit)))
      await this.#remove('responses', (limit) => expireResponses(db, keep(responseRetentionDays, limit)))
      await this.#remove('conversations', (limit) => expireConversations(db, limit))
      await this.#remove('deliveries', (limit) => expireDeliveries(db, keep(deliveryRetentionDays, limit)))
      await this.#remove('alerts', (limit) => expireAlerts(db, keep(ALERT_DAYS, limit)))
      await this.#expireLedger()
      await this.#note()
      if (db.kind === 'sqlite') await this.#shrink()
      await giveUpLease(db, { name: LEASE.name, leaseHolder })
    } catch (error) {
      log.error({ error: String(error) }, 'what is older than its retention cannot be removed')
    }
  }

  async #remove(what: string, expire: (limit: number) => Promise<number>): Promise<void> {
    this.#count(what, await this.#inBatches(ROWS_AT_ONCE, expire))
  }

  #count(what: string, removed: number): void {
    if (removed > 0) this.#removed.set(what, (this.#removed.get(what) ?? 0) + removed)
  }

  /** The audit log says what was removed, at once and then with one row an hour: it is never shortened. */
  async #note(): Promise<void> {
    const { db, monotonic = () => performance.now() } = this.#options
    if (this.#removed.size === 0 || monotonic() - this.#notedAt < NOTE_EVERY_MS) return
    const after = Object.fromEntries(this.#removed)
    await writeAuditEvents(db, GATEWAY, { action: 'retention.delete', object: 'retention', after })
    this.#removed.clear()
    this.#notedAt = monotonic()
  }

  async #expireLedger(): Promise<void> {
    const { db, log, config, now } = this.#options
    const before = await expiryOf(db, config().ledgerRetentionDays * DAY_MS)
    // Lines that are not rolled up are not removed. Those of a journal that comes late may be too old already.
    await rollUpAll(db)
    if (db.kind === 'postgres') {
      await createPartitions(db, now())
      const dropped = await dropPartitions(db, before)
      if (dropped.length > 0) log.info({ partitions: dropped }, 'months of the ledger were removed')
      this.#count('ledger_months', dropped.length)
    }
    const lines = await this.#inBatches(LINES_AT_ONCE, (limit) => expireLines(db, { before, limit }))
    this.#count('ledger_lines', lines)
    await this.#remove('limit_windows', (limit) => expireWindows(db, { before, limit }))
    await this.#inBatches(ROWS_AT_ONCE, (limit) => expireRates(db, limit))
    await this.#inBatches(ROWS_AT_ONCE, (limit) => expireSessions(db, limit))
    if (lines > 0) log.info({ lines, before: new Date(before).toISOString() }, 'lines of the ledger were removed')
  }

  async #shrink(): Promise<void> {
    const { db, spareBytes = SPARE_BYTES } = this.#options
    let before = Number.POSITIVE_INFINITY
    // A file that something else than the gateway has written may be one that cannot shrink.
    for (let free = await freeBytes(db); free > spareBytes && free < before; free = await freeBytes(db)) {
      if (!(await this.#mayGoOn())) return
      before = free
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
    const { db, leaseHolder } = this.#options
    this.#leasedAt = performance.now()
    return await takeLease(db, { ...LEASE, leaseHolder })
  }
}
