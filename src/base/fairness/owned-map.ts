type Entry<Value> = { value: Value; weight: number }
type Entries<Value> = { byName: Map<string, Entry<Value>>; weight: number }

/**
 * A bounded map whose entries belong to owners. If it is full, the owner with the most (by weight, which is 1 for each entry
 * unless it is stated) loses its oldest entry, so no owner can evict the entries of others.
 */
export class OwnedMap<Value> {
  readonly #maxEntries: number
  readonly #maxWeight: number
  readonly #byOwner = new Map<string, Entries<Value>>()
  #size = 0
  #weight = 0

  constructor(maxEntries: number, maxWeight = Number.POSITIVE_INFINITY) {
    this.#maxEntries = maxEntries
    this.#maxWeight = maxWeight
  }

  get size(): number {
    return this.#size
  }

  get(owner: string, name: string): Value | undefined {
    return this.#byOwner.get(owner)?.byName.get(name)?.value
  }

  /** The entry becomes the newest of its owner. Returns the last entry that was evicted for it, if there is one. */
  set(owner: string, name: string, value: Value, weight = 1): { owner: string; name: string } | undefined {
    this.delete(owner, name)
    let evicted: { owner: string; name: string } | undefined
    while (this.#size > 0 && (this.#size >= this.#maxEntries || this.#weight + weight > this.#maxWeight))
      evicted = this.#evict()
    const entries = this.#byOwner.get(owner) ?? { byName: new Map<string, Entry<Value>>(), weight: 0 }
    entries.byName.set(name, { value, weight })
    this.#byOwner.set(owner, entries)
    this.#count(entries, 1, weight)
    return evicted
  }

  delete(owner: string, name: string): void {
    const entries = this.#byOwner.get(owner)
    const entry = entries?.byName.get(name)
    if (!entries || !entry) return
    entries.byName.delete(name)
    this.#count(entries, -1, -entry.weight)
    if (entries.byName.size === 0) this.#byOwner.delete(owner)
  }

  #count(entries: Entries<Value>, count: number, weight: number): void {
    entries.weight += weight
    this.#size += count
    this.#weight += weight
  }

  #evict(): { owner: string; name: string } {
    let [most, weight] = ['', -1]
    for (const [owner, entries] of this.#byOwner) if (entries.weight > weight) [most, weight] = [owner, entries.weight]
    const evicted = { owner: most, name: this.#byOwner.get(most)!.byName.keys().next().value! }
    this.delete(evicted.owner, evicted.name)
    return evicted
  }
}
