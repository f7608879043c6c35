import { ByteQueue } from '../../base/bytes/byte-queue.ts'
import { tryParse } from '../../translation/json/try-parse.ts'

const TAIL_BYTES = 64 * 1024

/** Keeps the end of a body that is passed on without being read. The usage is in its last event. */
export class UsageTail {
  /** The end of the body in two halves, of which the older one is dropped as a whole. */
  #newer = new ByteQueue()
  #older = new ByteQueue()

  add(chunk: Uint8Array): void {
    this.#newer.push(chunk)
    if (this.#newer.length < TAIL_BYTES) return
    this.#older = this.#newer
    this.#newer = new ByteQueue()
  }

  /** Call this once, at the end. */
  takeText(): string {
    return Buffer.concat([...this.#older.takePieces(), ...this.#newer.takePieces()]).toString('utf8')
  }
}

/** Finds the last `usage` in a text that need not be complete JSON. */
export function lastUsageIn(text: string): unknown {
  const found = [...text.matchAll(/"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/g)].at(-1)
  return found && tryParse(found[1]!)
}
