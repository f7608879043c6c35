import { Buffer } from 'node:buffer'
import { GrowingBytes } from '../../../base/bytes/growing-bytes.ts'
import type { Around } from './envelope.ts'
import type { Batch } from './exporter.ts'

/**
 * Spans of one request. They are bytes as soon as they are encoded: a text of half a megabyte would be copied several times
 * on its way to the socket, and what waits as objects is work for the garbage collector.
 */
export class SpanBatch {
  readonly #around: Around
  readonly #bytes = new GrowingBytes()
  count = 0

  /** With memory for about as many bytes as are expected: growing would move all of them several times. */
  constructor(around: Around, expectedBytes: number) {
    this.#around = around
    this.#bytes.moveTo(Buffer.allocUnsafeSlow(expectedBytes))
  }

  add(span: string): void {
    this.#bytes.appendText(this.count === 0 ? this.#around.before : ',')
    this.#bytes.appendText(span)
    this.count++
  }

  /** Ends the body. Nothing may be added after that. */
  finish(): Batch {
    this.#bytes.appendText(this.#around.after)
    return { body: this.#bytes.take(), count: this.count }
  }
}
