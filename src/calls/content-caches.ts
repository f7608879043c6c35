import { ExpiringMap } from '../base/fairness/expiring-map.ts'

// Blocks of content that a provider keeps for later requests. The memory is per process and per owner: an owner never reads
// the block of another owner, even if both have the same content.

const MAX_ENTRIES = 5_000
/** The block must not end while a request that names it is on its way. */
const MARGIN_MS = 10_000
/** A block that a provider refused to keep is not offered again for so long. */
const REFUSED_MS = 60_000

/** A block that the provider keeps. */
export type ContentCache = {
  /** Undefined if it is not known whether the provider has created it, so that it cannot be used. */
  name: string | undefined
  /** Tokens that were written, and that are stored for so many seconds. */
  tokens: number
  seconds: number
}

type CacheEntry = {
  /** Undefined if the provider refused. */
  coming: Promise<ContentCache | undefined>
  /** Whether a call has paid for it. */
  isPaid: boolean
}

export class ContentCaches {
  readonly #caches: ExpiringMap<CacheEntry>

  constructor(monotonic: () => number) {
    this.#caches = new ExpiringMap(MAX_ENTRIES, monotonic)
  }

  get size(): number {
    return this.#caches.size
  }

  /** The block with this name of ours. It is created if it is not alive; calls that come meanwhile wait for the same one. */
  findOrCreate(owner: string, key: string, seconds: number, create: () => Promise<ContentCache>): CacheEntry {
    const cached = this.#caches.get(owner, key)
    if (cached) return cached
    const coming = create()
      .catch(() => undefined)
      .then((made) => {
        if (made?.name === undefined) this.#caches.set(owner, key, entry, REFUSED_MS)
        return made
      })
    const entry: CacheEntry = { coming, isPaid: false }
    this.#caches.set(owner, key, entry, seconds * 1000 - MARGIN_MS)
    return entry
  }

  forget(owner: string, key: string): void {
    this.#caches.delete(owner, key)
  }
}
