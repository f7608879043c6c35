import { problem } from '../../contract/problems.ts'
import { OwnedMap } from '../../base/fairness/owned-map.ts'
import { type Database, StoreUnavailable } from '../../platform/store/database.ts'
import {
  changedKeys,
  currentState,
  type DefaultProject,
  isOtherHistory,
  type KeyMarker,
} from '../../platform/store/keys/key-changes.ts'
import type { StoredKey } from '../../platform/store/keys/keys.ts'
import { digestOf, isForeign, isWellFormed } from './api-keys.ts'
import { type FixedKey, FixedKeys } from './fixed-keys.ts'
import type { Caller } from './caller.ts'
import { networkOf, type Sender } from './client-network.ts'
import type { KeysOnDisk } from './keys-on-disk.ts'
import type { KeyFile, KeyFileContent } from './key-file.ts'
import { KeyLookups } from './key-lookups.ts'
import { bySecret, endedSecrets } from './key-secrets.ts'
import { KeyUses } from './key-uses.ts'
import { type CachedKey, toCachedKey } from './cached-key.ts'
import { LruMap } from './lru-map.ts'

// Keys that are in use are kept in memory. The store is asked once for each of them, and then every two seconds for keys
// that were changed. While the store is away, known keys keep working, and unknown ones get "try again", never "wrong key".

const REFRESH_MS = 2_000
const UNKNOWN_FOR_MS = 2_000
const MAX_KEYS = 100_000
const MAX_REVOKED = 100_000
const MAX_UNKNOWN = 10_000
const MAX_DIGESTS = 1_000

/** Keys expire by the wall clock. What this cache remembers for a while is measured on the clock that does not jump. */
type Clocks = { now(): number; monotonic(): number }

type KeyCacheOptions = Clocks & {
  db: Database
  /** Keys that the operator sets in the environment. They need no store. */
  fixed?: readonly FixedKey[]
  /** What earlier processes knew, for a start without the store, and the file for later ones. */
  onDisk?: KeysOnDisk | undefined
  file?: KeyFile | undefined
  /** How often the store is asked for changes. */
  refreshMs?: number | undefined
}

const NOWHERE: Sender = { clientAddress: '' }
const NOT_CHECKED =
  'This key cannot be checked at the moment, because the database of the gateway is not reachable. The key may be valid. Try again shortly.'

export class KeyCache {
  readonly #db: Database
  readonly #clocks: Clocks
  readonly #fixed: FixedKeys
  readonly #onDisk: KeysOnDisk | undefined
  readonly #file: KeyFile | undefined
  readonly #lookups: KeyLookups
  readonly #uses: KeyUses
  readonly #cached = new LruMap<CachedKey>(MAX_KEYS)
  readonly #revoked = new LruMap<true>(MAX_REVOKED)
  /** Digests that the store does not have, by the network that sent the keys. */
  readonly #unknown = new OwnedMap<number>(MAX_UNKNOWN)
  /** Digests of valid tokens. Computing a digest takes longer than everything else in finding the caller. */
  readonly #digests = new LruMap<string>(MAX_DIGESTS)
  readonly #content: KeyFileContent = {
    size: () => this.#cached.size + this.#revoked.size,
    keys: () => this.#allKnown(),
    revoked: () => this.#revoked.names(),
  }
  #marker: KeyMarker | undefined
  #refreshing: Promise<void> | undefined
  #refreshingNext: Promise<void> | undefined
  /** The store did not answer the last question. */
  #isAway = true
  /**
   * Whether the store has keys of other gateways: only then is it asked for keys of other shapes. Undefined as long as the
   * store has not been reached.
   */
  #hasForeign: boolean | undefined
  readonly #refreshMs: number
  #timer: NodeJS.Timeout | undefined
  /** How many requests found their key in memory, and how many had to ask the store. */
  hits = 0
  misses = 0

  constructor({ db, now, monotonic, fixed = [], onDisk, file, refreshMs = REFRESH_MS }: KeyCacheOptions) {
    this.#refreshMs = refreshMs
    this.#db = db
    this.#clocks = { now, monotonic }
    this.#fixed = new FixedKeys(fixed, (digest) => onDisk?.find(digest))
    this.#onDisk = onDisk
    this.#file = file
    this.#lookups = new KeyLookups(db, (key) => this.#remember(key))
    this.#uses = new KeyUses(db)
  }

  /** The keys of the configuration have changed. */
  replaceFixed(fixed: readonly FixedKey[]): void {
    this.#fixed.replace(fixed)
  }

  /** The store is there. Before this, only keys that need no store are found. */
  async open(): Promise<void> {
    const { marker, hasImported, project } = await currentState(this.#db)
    this.#noteProject(project)
    this.#marker ??= marker
    this.#hasForeign = hasImported
    this.#isAway = false
    this.#timer ??= setInterval(() => void this.refresh(), this.#refreshMs).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await (this.#refreshingNext ?? this.#refreshing)
    await this.#file?.close()
    await this.#uses.write()
  }

  /** How many keys are in memory. */
  get size(): number {
    return this.#cached.size
  }

  /** Known keys are answered at once from memory. Only a key that is not in memory needs the store. */
  find(token: string, sender = NOWHERE): Caller | undefined | Promise<Caller | undefined> {
    const remembered = this.#digests.get(token)
    const digest = remembered ?? digestOf(token)
    const fixed = this.#fixed.get(digest)
    const cached = fixed ? undefined : this.#cached.get(digest)
    if ((fixed || cached) && !remembered) this.#digests.set(token, digest)
    if (fixed || cached) this.hits++
    if (fixed) return fixed
    return cached ? this.#callerOf(cached) : this.#findElsewhere(token, digest, sender)
  }

  /** The caller of a key of the configuration, by the digest of the key. */
  fixed(digest: string): Caller | undefined {
    return this.#fixed.get(digest)
  }

  /**
   * Reads what was changed since the last time. A reading that runs may have begun before the change that the caller has made.
   * So the caller gets the next one, and so does everybody who asks meanwhile.
   */
  refresh(): Promise<void> {
    if (!this.#refreshing) return this.#beginRefresh()
    this.#refreshingNext ??= this.#refreshing.then(() => {
      this.#refreshingNext = undefined
      return this.#beginRefresh()
    })
    return this.#refreshingNext
  }

  #beginRefresh(): Promise<void> {
    this.#refreshing = this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /** Applies changes of keys, also of keys that are not in memory: a lookup or a file may have their old state. */
  apply(changed: readonly StoredKey[]): void {
    for (const key of changed.flatMap(bySecret)) this.#apply(key)
    const now = this.#clocks.now()
    this.#file?.revoke(changed.flatMap((key) => endedSecrets(key, now)))
  }

  #findElsewhere(token: string, digest: string, sender: Sender): undefined | Caller | Promise<Caller | undefined> {
    if (!this.#mayExist(token) || this.#revoked.has(digest)) return undefined
    const client = networkOf(sender)
    if ((this.#unknown.get(client, digest) ?? 0) > this.#clocks.monotonic()) return undefined
    const stored = this.#isAway ? this.#onDisk?.find(digest) : undefined
    if (stored === 'revoked') return undefined
    return stored ? this.#callerOf(stored) : this.#ask(digest, client)
  }

  /** A mistyped key of ours is refused without a query. */
  #mayExist(token: string): boolean {
    return isWellFormed(token) || (this.#hasForeign !== false && isForeign(token))
  }

  async #ask(digest: string, client: string): Promise<Caller | undefined> {
    this.misses++
    const key = await this.#lookups.find(digest, client).catch((error) => this.#storeFailed(error, digest))
    if (key) return this.#callerOf(key)
    this.#unknown.set(client, digest, this.#clocks.monotonic() + UNKNOWN_FOR_MS)
    return undefined
  }

  #storeFailed(error: unknown, digest: string): CachedKey | undefined {
    if (error instanceof StoreUnavailable) this.#isAway = true
    const stored = this.#isAway ? this.#onDisk?.find(digest) : undefined
    if (stored) return stored === 'revoked' ? undefined : stored
    throw problem('unavailable', { message: NOT_CHECKED, retryAfterSeconds: 1 })
  }

  #callerOf(key: CachedKey): Caller | undefined {
    const now = this.#clocks.now()
    const { expiresAt } = key.caller
    if (expiresAt !== null && expiresAt <= now) return undefined
    this.#uses.note(key, now, this.#clocks.monotonic())
    return key.caller
  }

  /** Returns undefined for a key that was revoked. */
  #remember(key: StoredKey): CachedKey | undefined {
    if (key.revokedAt !== null) return void this.#revoked.set(key.digest, true)
    const cached = toCachedKey(key)
    this.#cached.set(key.digest, cached)
    this.#onDisk?.forget(key.digest)
    this.#file?.add(key.digest, cached)
    return cached
  }

  async #refresh(): Promise<void> {
    try {
      await this.#readChanges()
      this.#isAway = false
      this.#file?.confirmed(this.#content)
      this.#onDisk?.dropExpired()
      await this.#uses.write()
    } catch {
      // Known keys stay known, and the next refresh tries again.
      this.#isAway = true
    }
  }

  async #readChanges(): Promise<void> {
    const { marker: now, hasImported, project } = await currentState(this.#db)
    this.#noteProject(project)
    this.#hasForeign = hasImported
    const since = this.#marker ?? now
    if (isOtherHistory(since, now)) this.#forgetAll()
    else for await (const page of changedKeys(this.#db, since, now)) this.apply(page)
    this.#marker = now
  }

  #noteProject(project: DefaultProject | undefined): void {
    if (!this.#fixed.setProject(project)) return
    for (const [digest, key] of this.#fixed.restricted()) this.#file?.add(digest, key)
  }

  *#allKnown(): Generator<[digest: string, key: CachedKey]> {
    yield* this.#fixed.restricted()
    yield* this.#cached.entries()
  }

  #forgetAll(): void {
    this.#cached.clear()
    this.#revoked.clear()
  }

  #apply(key: StoredKey): void {
    const { digest } = key
    this.#lookups.changed(digest)
    const isKnown = this.#cached.has(digest)
    this.#cached.delete(digest)
    this.#revoked.delete(digest)
    if (isKnown || key.revokedAt !== null) this.#remember(key)
    else this.#file?.add(digest, toCachedKey(key))
  }
}
