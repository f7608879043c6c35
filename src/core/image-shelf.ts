import { join } from 'node:path'
import { Overflow } from '../blobs/overflow.ts'

/** Where the images of one call lie, on the disk, until its reply is written. */
export class ImageShelf {
  readonly #folder: string
  readonly #owner: string
  readonly #overflows: Overflow[] = []

  constructor(dataDir: string, owner: string) {
    this.#owner = owner
    this.#folder = join(dataDir, 'overflow')
  }

  /** A place of its own for each writer. */
  open(): Overflow {
    const overflow = new Overflow(this.#folder, this.#owner)
    this.#overflows.push(overflow)
    return overflow
  }

  async close(): Promise<void> {
    await Promise.all(this.#overflows.splice(0).map((overflow) => overflow.close()))
  }
}
