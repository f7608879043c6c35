import type { Database } from '../../platform/store/database.ts'
import { touchKeys } from '../../platform/store/keys/keys.ts'
import type { CachedKey } from './cached-key.ts'

const NOTE_EVERY_SECONDS = 60
const MAX_WAITING = 100_000

/** When keys were last used, for the store. Uses are noted once a minute for each key, and wait while the store is away. */
export class KeyUses {
  readonly #db: Database
  #waiting = new Map<string, number>()

  constructor(db: Database) {
    this.#db = db
  }

  note(key: CachedKey, now: number, monotonic: number): void {
    const second = Math.floor(monotonic / 1_000)
    if (second - key.notedAt < NOTE_EVERY_SECONDS || this.#waiting.size >= MAX_WAITING) return
    key.notedAt = second
    this.#waiting.set(key.caller.keyId, now)
  }

  async write(): Promise<void> {
    if (this.#waiting.size === 0) return
    const uses = this.#waiting
    this.#waiting = new Map()
    try {
      await touchKeys(
        this.#db,
        Array.from(uses, ([id, at]) => ({ id, at })),
      )
    } catch (error) {
      this.#waiting = new Map([...uses, ...this.#waiting])
      throw error
    }
  }
}
