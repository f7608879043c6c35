/** A value is no longer used this long before it expires, so that no call starts with one that expires on the way. */
const SPARE_MS = 120_000
/** In the minutes before that, it is renewed while calls go on with it. */
const RENEW_MS = 300_000
/** How long a value that could not be renewed is left alone. */
const RENEW_AGAIN_MS = 10_000
/** A value is replaced early at most this often, because its refusal may be caused by a header of the caller. */
const REFUSED_EVERY_MS = 60_000
/** Far more than an operator configures. */
const MAX_KEPT = 1_000

export type Fetched<Value> = { value: Value; lifetimeMs: number }
type Fetch<Value> = () => Promise<Fetched<Value>>

type CachedValue<Value> = {
  value: Promise<Value>
  renewAt: number
  until: number
  refusedAt?: number | undefined
  replacement?: Promise<void> | undefined
}

/** Fetches each value once in its lifetime, and keeps it only in memory. Calls in use wait for a value once, at the start. */
export class ShortLived<Value> {
  readonly #monotonic: () => number
  readonly #cache = new Map<string, CachedValue<Value>>()

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  /** All callers that arrive while the first value is being fetched wait for the same one. */
  get(name: string, obtain: Fetch<Value>): Promise<Value> {
    const cached = this.#cache.get(name)
    const now = this.#monotonic()
    if (cached?.replacement && cached.until <= now) return cached.replacement.then(() => this.get(name, obtain))
    if (!cached || cached.until <= now) return this.#first(name, obtain)
    if (cached.renewAt <= now) cached.replacement ??= this.#replace(name, obtain, cached)
    return cached.value
  }

  /**
   * Fetches another value because one was refused before it expired. Until the new one arrives, and if it never does, other
   * calls go on with the old one. Resolves when that is decided.
   */
  async refused(name: string, obtain: Fetch<Value>): Promise<void> {
    const cached = this.#cache.get(name)
    if (!cached || cached.until === Number.POSITIVE_INFINITY) return
    if (cached.replacement) return await cached.replacement
    if (this.#monotonic() - (cached.refusedAt ?? Number.NEGATIVE_INFINITY) < REFUSED_EVERY_MS) return
    cached.refusedAt = this.#monotonic()
    cached.replacement = this.#replace(name, obtain, cached)
    await cached.replacement
  }

  async #replace(name: string, obtain: Fetch<Value>, old: CachedValue<Value>): Promise<void> {
    const fetched = await obtain().catch(() => undefined)
    old.replacement = undefined
    if (!fetched) {
      old.renewAt = Math.max(old.renewAt, this.#monotonic() + RENEW_AGAIN_MS)
      return
    }
    if (this.#cache.get(name) !== old) return
    const { value, lifetimeMs } = fetched
    this.#cache.set(name, { value: Promise.resolve(value), ...this.#times(lifetimeMs), refusedAt: old.refusedAt })
  }

  #first(name: string, obtain: Fetch<Value>): Promise<Value> {
    const coming = obtain()
    const never = Number.POSITIVE_INFINITY
    const entry: CachedValue<Value> = { value: coming.then(({ value }) => value), renewAt: never, until: never }
    this.#cache.delete(name)
    const [oldest] = this.#cache.keys()
    if (this.#cache.size >= MAX_KEPT && oldest !== undefined) this.#cache.delete(oldest)
    this.#cache.set(name, entry)
    coming.then(
      ({ lifetimeMs }) => Object.assign(entry, this.#times(lifetimeMs)),
      () => this.#cache.get(name) === entry && this.#cache.delete(name),
    )
    return entry.value
  }

  #times(lifetimeMs: number): Pick<CachedValue<Value>, 'renewAt' | 'until'> {
    const usedMs = Math.max(lifetimeMs - SPARE_MS, lifetimeMs / 2)
    const now = this.#monotonic()
    return { renewAt: now + Math.max(lifetimeMs - RENEW_MS, usedMs * 0.75), until: now + usedMs }
  }
}
