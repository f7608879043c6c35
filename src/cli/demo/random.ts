/** Numbers that look random and are the same for the same seed, so that two demos show the same things. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** From 0 to 1, without 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from)
  }

  whole(from: number, to: number): number {
    return Math.floor(this.between(from, to + 1))
  }

  isTrue(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)]!
  }

  /** One of the items, each as often as its weight says. */
  weighted<Item extends { weight: number }>(items: readonly Item[]): Item {
    let remaining = this.next() * items.reduce((sum, { weight }) => sum + weight, 0)
    for (const item of items) {
      remaining -= item.weight
      if (remaining < 0) return item
    }
    return items.at(-1)!
  }

  /** Most are near the middle, some are many times as large: lengths and durations are like this. */
  skewed(middle: number): number {
    const normal = this.next() + this.next() + this.next() + this.next() - 2
    return Math.round(middle * Math.exp(normal * 1.2))
  }

  uuid(): string {
    const hex = Array.from({ length: 32 }, () => this.whole(0, 15).toString(16)).join('')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
  }
}
