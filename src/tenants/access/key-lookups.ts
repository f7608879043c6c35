import { problem } from '../../contract/problems.ts'
import { FairSemaphore } from '../../base/fairness/fair-semaphore.ts'
import type { Database } from '../../platform/store/database.ts'
import { findKeysByDigest, type StoredKey } from '../../platform/store/keys/keys.ts'
import { bySecret } from './key-secrets.ts'
import type { CachedKey } from './cached-key.ts'

// Keys that are not in memory are looked up in the store: many in one query, one query at a time, and the addresses that
// they come from in rotation. So a flood of invented keys costs one connection, and delays the keys of other addresses by
// one query.

const BATCH_DIGESTS = 200
/** One address may wait for three quarters of them, and each further address for three quarters of what is left. */
const MAX_WAITING = 4_000

type Lookup = {
  client: string
  digest: string
  /** The key was changed while it was being read, so it has to be read again. */
  isStale: boolean
  settled: PromiseWithResolvers<CachedKey | undefined>
}

export class KeyLookups {
  readonly #db: Database
  readonly #remember: (key: StoredKey) => CachedKey | undefined
  readonly #slots = new FairSemaphore({ capacity: MAX_WAITING })
  /** Every lookup that has not ended. */
  readonly #lookups = new Map<string, Lookup>()
  readonly #queues = new Map<string, Lookup[]>()
  #isRunning = false

  /** `remember` is called in the same step in which a lookup ends, so that no change can come between. */
  constructor(db: Database, remember: (key: StoredKey) => CachedKey | undefined) {
    this.#db = db
    this.#remember = remember
  }

  /** Requests with the same key share a lookup. Rejects with a 503 if too many keys of this client wait. */
  find(digest: string, client: string): Promise<CachedKey | undefined> {
    const running = this.#lookups.get(digest)
    if (running) return running.settled.promise
    if (!this.#slots.tryAcquire(client)) return Promise.reject(problem('unavailable', { retryAfterSeconds: 1 }))
    const lookup = { client, digest, isStale: false, settled: Promise.withResolvers<CachedKey | undefined>() }
    this.#lookups.set(digest, lookup)
    this.#enqueue(lookup)
    if (!this.#isRunning) void this.#run()
    return lookup.settled.promise
  }

  /** What is being read now may be older than this change. */
  changed(digest: string): void {
    const lookup = this.#lookups.get(digest)
    if (lookup) lookup.isStale = true
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    // Requests that arrive together are looked up together.
    await Promise.resolve()
    while (this.#queues.size > 0) await this.#readBatch()
    this.#isRunning = false
  }

  async #readBatch(): Promise<void> {
    const batch = this.#nextBatch()
    for (const lookup of batch) lookup.isStale = false
    try {
      const found = await findKeysByDigest(
        this.#db,
        batch.map(({ digest }) => digest),
      )
      const keys = new Map(found.flatMap(bySecret).map((key) => [key.digest, key]))
      for (const lookup of batch) this.#settle(lookup, keys.get(lookup.digest))
    } catch (error) {
      for (const lookup of batch) this.#end(lookup).reject(error)
    }
  }

  #settle(lookup: Lookup, key: StoredKey | undefined): void {
    if (lookup.isStale) this.#enqueue(lookup)
    else this.#end(lookup).resolve(key && this.#remember(key))
  }

  #end({ client, digest, settled }: Lookup): Lookup['settled'] {
    this.#lookups.delete(digest)
    this.#slots.release(client)
    return settled
  }

  #enqueue(lookup: Lookup): void {
    const queue = this.#queues.get(lookup.client)
    if (queue) queue.push(lookup)
    else this.#queues.set(lookup.client, [lookup])
  }

  /** Takes one lookup of each client, and again, until the batch is full. The next batch begins with the clients left out. */
  #nextBatch(): Lookup[] {
    const batch: Lookup[] = []
    for (const [client, queue] of this.#queues) {
      if (batch.length === BATCH_DIGESTS) break
      batch.push(queue.shift()!)
      this.#queues.delete(client)
      // A Map is iterated in the order of insertion: the client is met again after all others.
      if (queue.length > 0) this.#queues.set(client, queue)
    }
    return batch
  }
}
