import { ByteQueue } from '../../base/bytes/byte-queue.ts'
import { Batch } from './batch.ts'

/** What the queue needs from its source. */
type Source = { pause(): void; resume(): void; abort(reason: Error): void }

const PAUSE_ABOVE_BYTES = 64 * 1024

const arrivals = new Batch<BodyQueue>((queue) => queue.hand())

/**
 * A body that its reader pulls. Chunks that arrive faster than they are read wait here, small ones joined. Beyond 64 KB the
 * source is paused, so a slow client slows its provider down instead of filling our memory. A reader that leaves early
 * closes the source.
 */
export class BodyQueue implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array> {
  readonly #source: Source
  readonly #queued = new ByteQueue()
  #paused = false
  #ended = false
  #failure: Error | undefined
  #waiting: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined

  constructor(source: Source) {
    this.#source = source
  }

  [Symbol.asyncIterator]() {
    return this
  }

  /** `isLent`: the bytes are valid only during the call. */
  push(chunk: Uint8Array, isLent = false): void {
    if (this.#ended) return
    if (this.#queued.length === 0 && this.#waiting) arrivals.add(this)
    this.#queued.push(chunk, isLent)
    if (this.#queued.length > PAUSE_ABOVE_BYTES && !this.#paused) {
      this.#paused = true
      this.#source.pause()
    }
  }

  end(failure?: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = failure
    // A waiting reader first gets what arrived before the end.
    if (!this.#waiting || this.#queued.length > 0) return
    if (failure) this.#waiting.reject(failure)
    else this.#waiting.resolve({ done: true, value: undefined })
    this.#waiting = undefined
  }

  /** Hands the queued bytes to a waiting reader. */
  hand(): void {
    const waiting = this.#waiting
    const chunk = waiting && this.#queued.shift()
    if (!chunk) return
    this.#waiting = undefined
    waiting.resolve({ done: false, value: this.#release(chunk) })
  }

  takeComplete(): Uint8Array[] | undefined {
    if (!this.#ended || this.#failure) return undefined
    return this.#queued.takePieces()
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const chunk = this.#queued.shift()
    if (chunk) return Promise.resolve({ done: false, value: this.#release(chunk) })
    if (this.#failure) return Promise.reject(this.#failure)
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    this.#waiting = Promise.withResolvers()
    return this.#waiting.promise
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#queued.takePieces()
    if (!this.#ended) this.#source.abort(new Error('the reader left'))
    this.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  #release(chunk: Uint8Array): Uint8Array {
    if (this.#paused && this.#queued.length <= PAUSE_ABOVE_BYTES / 2) {
      this.#paused = false
      this.#source.resume()
    }
    return chunk
  }
}
