import { ByteQueue } from '../bytes/byte-queue.ts'
import { tryParse } from '../json/try-parse.ts'

const TAIL_BYTES = 64 * 1024

/** The end of a body that passes unread: what was counted stands in its last event. */
export class UsageTail {
  /** What came last, and what came before it: two halves, of which the older one is dropped whole. */
  #newer = new ByteQueue()
  #older = new ByteQueue()

  add(chunk: Uint8Array): void {
    this.#newer.push(chunk)
    if (this.#newer.length < TAIL_BYTES) return
    this.#older = this.#newer
    this.#newer = new ByteQueue()
  }

  /** Once, at the end. */
  takeText(): string {
    return Buffer.concat([...this.#older.takePieces(), ...this.#newer.takePieces()]).toString('utf8')
  }
}

/** The last `usage` of a text, be it whole JSON or not. */
export function lastUsageIn(text: string): unknown {
  const found = [...text.matchAll(/"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/g)].at(-1)
  return found && tryParse(found[1]!)
}
