import type { Logger } from 'pino'
import type { Limit, LimitKind } from '../../platform/config/spend-limits/limit.ts'
import { type LimitEntry, limitOf } from '../../platform/config/spend-limits/limit-entry.ts'
import type { Database } from '../../platform/store/database.ts'
import { limitVersion, readStoredLimits, type StoredLimit } from '../../platform/store/limits/stored-limits.ts'
import { readWhenChanged } from '../../platform/store/installation/read-when-changed.ts'

/** Limits of the admin API, of all kinds together. */
export const MAX_STORED_LIMITS = 10_000

/** How a limit of the admin API is stored. */
export type StoredSettings = { kind: LimitKind; entry: LimitEntry }

type Needs = { db: Database; log: Pick<Logger, 'info' | 'error'>; replace(limits: readonly Limit[]): void }

/** The limits of the store in the memory of this process. Without the store, the process continues with what it knows. */
export class LimitCache {
  readonly #needs: Needs
  /** Reads the limits if they have changed. */
  readonly refresh: () => Promise<void>

  constructor(needs: Needs) {
    this.#needs = needs
    this.refresh = readWhenChanged({ version: () => limitVersion(needs.db), read: () => this.#read() })
  }

  async #read(): Promise<void> {
    const { db, log, replace } = this.#needs
    const rows = await readStoredLimits(db, MAX_STORED_LIMITS)
    replace(rows.flatMap(({ id, settings }) => this.#parsed(id, settings)))
    log.info({ limits: rows.length }, 'the budgets and rate limits of the store were read')
  }

  #parsed(id: string, settings: string): Limit[] {
    const limit = readSettings(settings)
    if (limit) return [limit]
    this.#needs.log.error({ limit: id }, 'a limit in the store cannot be read')
    return []
  }
}

/** All limits. One of the config file hides one of the store with the same id. */
export function withStored(ofFile: readonly Limit[], stored: readonly StoredLimit[]): Limit[] {
  const taken = new Set(ofFile.map(({ id }) => id))
  return [...ofFile, ...stored.flatMap(({ id, settings }) => (taken.has(id) ? [] : (readSettings(settings) ?? [])))]
}

/** Undefined if it was damaged. */
export function readSettings(settings: string): Limit | undefined {
  try {
    const { kind, entry } = JSON.parse(settings) as StoredSettings
    const limit = limitOf(entry, kind, 'api')
    return Array.isArray(limit) ? undefined : limit
  } catch {
    return undefined
  }
}
