import { OwnedMap } from './owned-map.ts'

/** The sum of the weights of all entries is bounded, too. */
type Weights<Value> = { max: number; of(value: Value): number }

/** A bounded map whose entries belong to owners and end after a while. */
export class ExpiringMap<Value> {
  readonly #monotonic: () => number
  readonly #weightOf: Weights<Value>['of'] | undefined
  readonly #entries: OwnedMap<{ value: Value; until: number }>

  constructor(maxEntries: number, monotonic: () => number, weights?: Weights<Value>) {
    this.#entries = new OwnedMap(maxEntries, weights?.max)
    this.#monotonic = monotonic
    this.#weightOf = weights?.of
  }

  /** Entries that have ended count until they are replaced or evicted. */
  get size(): number {
    return this.#entries.size
  }

  get(owner: string, name: string): Value | undefined {
    const entry = this.#entries.get(owner, name)
    return entry && entry.until > this.#monotonic() ? entry.value : undefined
  }

  set(owner: string, name: string, value: Value, lifeMs: number): void {
    this.#entries.set(owner, name, { value, until: this.#monotonic() + lifeMs }, this.#weightOf?.(value))
  }

  delete(owner: string, name: string): void {
    this.#entries.delete(owner, name)
  }
}
