import { tryParse } from '../json/try-parse.ts'

const TAIL_BYTES = 64 * 1024

/** The end of a body that passes unread: what was counted stands in its last event. */
export class UsageTail {
  #chunks: Uint8Array[] = []
  /** How many of the first chunks are past. They are let go together: to move all others each time would take long. */
  #past = 0
  #size = 0

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    while (this.#size - this.#chunks[this.#past]!.length >= TAIL_BYTES) this.#size -= this.#chunks[this.#past++]!.length
    if (this.#past <= this.#chunks.length / 2) return
    this.#chunks = this.#chunks.slice(this.#past)
    this.#past = 0
  }

  get text(): string {
    return Buffer.concat(this.#chunks.slice(this.#past)).toString('utf8')
  }
}

/** The last `usage` of a text, be it whole JSON or not. */
export function lastUsageIn(text: string): unknown {
  const found = [...text.matchAll(/"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/g)].at(-1)
  return found && tryParse(found[1]!)
}
