/**
 * A bounded map whose entries belong to owners. If it is full, the owner with the most entries loses its oldest entry, so
 * nobody can evict the entries of others.
 */
export class OwnedMap<Value> {
  readonly #maxEntries: number
  readonly #byOwner = new Map<string, Map<string, Value>>()
  #size = 0

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get size(): number {
    return this.#size
  }

  get(owner: string, name: string): Value | undefined {
    return this.#byOwner.get(owner)?.get(name)
  }

  /** The entry becomes the newest of its owner. Returns the evicted entry, if there is one. */
  set(owner: string, name: string, value: Value): { owner: string; name: string } | undefined {
    this.delete(owner, name)
    const evicted = this.#size >= this.#maxEntries ? this.#evict() : undefined
    const entries = this.#byOwner.get(owner) ?? new Map<string, Value>()
    this.#byOwner.set(owner, entries.set(name, value))
    this.#size++
    return evicted
  }

  delete(owner: string, name: string): void {
    const entries = this.#byOwner.get(owner)
    if (!entries?.delete(name)) return
    this.#size--
    if (entries.size === 0) this.#byOwner.delete(owner)
  }

  #evict(): { owner: string; name: string } {
    let largest = { owner: '', entries: new Map<string, Value>() }
    for (const [owner, entries] of this.#byOwner) if (entries.size > largest.entries.size) largest = { owner, entries }
    const evicted = { owner: largest.owner, name: largest.entries.keys().next().value! }
    this.delete(evicted.owner, evicted.name)
    return evicted
  }
}
