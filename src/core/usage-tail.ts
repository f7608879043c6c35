import { tryParse } from '../json/try-parse.ts'

const TAIL_BYTES = 64 * 1024

/** The end of a body that passes unread: what was counted stands in its last event. */
export class UsageTail {
  #chunks: Uint8Array[] = []
  #size = 0

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    while (this.#size - this.#chunks[0]!.length >= TAIL_BYTES) this.#size -= this.#chunks.shift()!.length
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8')
  }
}

/** The last `usage` of a text, be it whole JSON or not. */
export function lastUsageIn(text: string): unknown {
  const found = [...text.matchAll(/"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/g)].at(-1)
  return found && tryParse(found[1]!)
}
