import { problem } from '../contract/problems.ts'
import type { Region } from '../providers/provider.ts'
import type { Database } from '../store/database.ts'
import { findKeyByDigest, keysChangedSince, recentKeys, type StoredKey, touchKeys } from '../store/keys.ts'
import { digestOf, isWellFormed } from './api-keys.ts'
import type { Caller } from './caller.ts'

// Keys are kept in memory. The database is queried once per key, and then every two seconds for changes. While the database
// is down, known keys keep working, and unknown ones get "try again", never "wrong key".

const REFRESH_MS = 2_000
/** Rows that were written during a refresh may have a slightly older time than the newest row that was read. */
const OVERLAP_MS = 10_000
const UNKNOWN_FOR_MS = 2_000
const TOUCH_EVERY_MS = 60_000
const MAX_KEYS = 100_000
const MAX_UNKNOWN = 10_000
const MAX_DIGESTS = 1_000
/** Made-up keys must not fill the queue of the database. */
const MAX_ASKING = 100

/** Keys expire by the wall clock. What this cache remembers for a while is measured on the clock that does not jump. */
type Clocks = { now(): number; monotonic(): number }

export type FixedKey = { key: string; caller: Caller }

export class KeyCache {
  readonly #db: Database
  readonly #clocks: Clocks
  readonly #fixed: ReadonlyMap<string, Caller>
  readonly #known = new Map<string, StoredKey>()
  readonly #unknown = new Map<string, number>()
  readonly #asking = new Map<string, Promise<StoredKey | undefined>>()
  readonly #touched = new Map<string, number>()
  /** Digests of valid tokens. Computing a digest takes longer than everything else in finding the caller. */
  readonly #digests = new Map<string, string>()
  #toTouch = new Map<string, number>()
  #newest = 0
  #timer: NodeJS.Timeout | undefined

  constructor(db: Database, clocks: Clocks, fixed: readonly FixedKey[]) {
    this.#db = db
    this.#clocks = clocks
    this.#fixed = new Map(fixed.map(({ key, caller }) => [digestOf(key), caller]))
  }

  async open(): Promise<void> {
    for (const key of await recentKeys(this.#db, MAX_KEYS)) this.#remember(key)
    this.#timer = setInterval(() => void this.refresh(), REFRESH_MS).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#writeTouches()
  }

  /** Known keys are answered at once from memory. Only a key that was never seen needs a database query. */
  find(token: string): Caller | undefined | Promise<Caller | undefined> {
    const remembered = this.#digests.get(token)
    const digest = remembered ?? digestOf(token)
    const known = this.#fixed.get(digest) ?? this.#known.get(digest)
    if (known && !remembered) this.#rememberDigest(token, digest)
    if (known) return 'digest' in known ? this.#admit(known) : known
    if (!isWellFormed(token)) return undefined
    if ((this.#unknown.get(digest) ?? 0) > this.#clocks.monotonic()) return undefined
    return this.#ask(digest).then((key) => key && this.#admit(key))
  }

  async refresh(): Promise<void> {
    try {
      for (const key of await keysChangedSince(this.#db, this.#newest - OVERLAP_MS)) {
        this.#unknown.delete(key.digest)
        this.#newest = Math.max(this.#newest, key.updatedAt)
        if (this.#known.has(key.digest) || this.#known.size < MAX_KEYS) this.#known.set(key.digest, key)
      }
      await this.#writeTouches()
    } catch {
      // The database is unavailable. Known keys stay known, and the next refresh tries again.
    }
  }

  #rememberDigest(token: string, digest: string): void {
    dropOldest(this.#digests, MAX_DIGESTS)
    this.#digests.set(token, digest)
  }

  #admit(key: StoredKey): Caller | undefined {
    const now = this.#clocks.now()
    if (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) return undefined
    this.#touch(key.id, now)
    return toCaller(key)
  }

  /** Concurrent requests with the same new key share one query. */
  #ask(digest: string): Promise<StoredKey | undefined> {
    const running = this.#asking.get(digest)
    if (running) return running
    if (this.#asking.size >= MAX_ASKING) return Promise.reject(tryAgain())
    const question = findKeyByDigest(this.#db, digest)
      .catch(() => {
        throw tryAgain()
      })
      .then((key) => (key ? this.#remember(key) : this.#forget(digest)))
      .finally(() => this.#asking.delete(digest))
    this.#asking.set(digest, question)
    return question
  }

  #remember(key: StoredKey): StoredKey {
    dropOldest(this.#known, MAX_KEYS)
    this.#known.set(key.digest, key)
    this.#newest = Math.max(this.#newest, key.updatedAt)
    return key
  }

  #forget(digest: string): undefined {
    dropOldest(this.#unknown, MAX_UNKNOWN)
    this.#unknown.set(digest, this.#clocks.monotonic() + UNKNOWN_FOR_MS)
  }

  #touch(id: string, now: number): void {
    const at = this.#clocks.monotonic()
    if (at - (this.#touched.get(id) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return
    dropOldest(this.#touched, MAX_KEYS)
    this.#touched.set(id, at)
    this.#toTouch.set(id, now)
  }

  async #writeTouches(): Promise<void> {
    if (this.#toTouch.size === 0) return
    const touches = [...this.#toTouch]
    this.#toTouch = new Map()
    try {
      await touchKeys(
        this.#db,
        touches.map(([id, at]) => ({ id, at })),
      )
    } catch (error) {
      this.#toTouch = new Map([...touches, ...this.#toTouch])
      throw error
    }
  }
}

function tryAgain() {
  return problem('unavailable', { retryAfterSeconds: 1 })
}

// Built once per stored key, so that the hot path creates no objects for a known caller.
const callers = new WeakMap<StoredKey, Caller>()

export function toCaller(key: StoredKey): Caller {
  let caller = callers.get(key)
  if (!caller) {
    const { id: keyId, owner, kind, region, scopes, expiresAt } = key
    caller = { keyId, owner, kind: kind as Caller['kind'], region: region as Region, scopes, expiresAt }
    callers.set(key, caller)
  }
  return caller
}

function dropOldest(map: Map<string, unknown>, max: number): void {
  if (map.size >= max) map.delete(map.keys().next().value!)
}
