/** A bounded number of slots for what stays open: so many for each name, and so many in all. */
export class Slots {
  readonly #most: { each: number; all: number }
  readonly #taken = new Map<string, number>()
  #all = 0

  constructor(most: { each: number; all: number }) {
    this.#most = most
  }

  /** What is full for another one of this name; undefined if there is a slot. */
  fullFor(name: string): 'all' | 'each' | undefined {
    if (this.#all >= this.#most.all) return 'all'
    return (this.#taken.get(name) ?? 0) >= this.#most.each ? 'each' : undefined
  }

  /** Returns the function that gives the slot back. To call it twice does no harm. */
  take(name: string): () => void {
    this.#add(name, 1)
    let isTaken = true
    return () => {
      if (isTaken) this.#add(name, -1)
      isTaken = false
    }
  }

  #add(name: string, count: number): void {
    this.#all += count
    const taken = (this.#taken.get(name) ?? 0) + count
    if (taken === 0) this.#taken.delete(name)
    else this.#taken.set(name, taken)
  }
}
