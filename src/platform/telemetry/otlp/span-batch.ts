import { Buffer } from 'node:buffer'
import { GrowingBytes } from '../../../base/bytes/growing-bytes.ts'
import type { Batch } from './exporter.ts'
import type { Packing } from './format.ts'

/**
 * Spans of one request. They are bytes as soon as they are encoded: a text of half a megabyte would be copied several times
 * on its way to the socket, and what waits as objects is work for the garbage collector.
 */
export class SpanBatch {
  readonly #packing: Packing
  readonly #bytes = new GrowingBytes()
  count = 0

  /** With memory for about as many bytes as are expected: growing would move all of them several times. */
  constructor(packing: Packing, expectedBytes: number) {
    this.#packing = packing
    this.#bytes.moveTo(Buffer.allocUnsafeSlow(expectedBytes))
  }

  add(span: string): void {
    const { separator, charset } = this.#packing
    this.#bytes.appendText(this.count === 0 ? span : separator + span, charset)
    this.count++
  }

  /** Ends the body. Nothing may be added after that. */
  finish(): Batch {
    return { body: this.#packing.wrap(this.#bytes.take()), count: this.count }
  }
}
