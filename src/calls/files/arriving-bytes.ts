/** One file that is being uploaded. `check` gets the number of arriving bytes of the owner, and throws if there are too many. */
export type Arrival = { owner: string; size: number; check(arriving: number): void }

/**
 * Bytes that are being written and belong to no file yet, by owner. Without this count, concurrent uploads would each find the
 * quota free, and together could fill the disk.
 */
export class ArrivingBytes {
  readonly #byOwner = new Map<string, number>()

  of(owner: string): number {
    return this.#byOwner.get(owner) ?? 0
  }

  async *counted(bytes: AsyncIterable<Uint8Array>, arrival: Arrival): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      arrival.size += chunk.length
      this.#add(arrival.owner, chunk.length)
      arrival.check(this.of(arrival.owner))
      yield chunk
    }
  }

  /** The bytes have become a file or were discarded. Calling this twice counts once. */
  ended(arrival: Arrival): void {
    this.#add(arrival.owner, -arrival.size)
    arrival.size = 0
  }

  #add(owner: string, change: number): void {
    const now = this.of(owner) + change
    if (now > 0) this.#byOwner.set(owner, now)
    else this.#byOwner.delete(owner)
  }
}
