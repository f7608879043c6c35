import { GrowingBytes } from '../../../base/bytes/growing-bytes.ts'
import { WireFailure } from '../../../translation/wire/wire.ts'
import { refuseHopeless } from './response-head.ts'

const HEAD_END = '\r\n\r\n'
const MAX_HEAD_BYTES = 64 * 1024

/** Finds the end of a head. The bytes may be split anywhere. Each byte is examined once and moved at most a few times. */
export class HeadBytes {
  /** The bytes of an incomplete head. */
  readonly #begun = new GrowingBytes()
  /** The lines of a complete head; undefined until then. */
  text: string | undefined

  /** Returns where it stopped reading. */
  read(bytes: Buffer, at: number): number {
    this.text = undefined
    if (this.#begun.length > 0) return this.#readOn(bytes, at)
    const end = bytes.indexOf(HEAD_END, at, 'latin1')
    if (end < 0) return this.#readOn(bytes, at)
    if (end - at > MAX_HEAD_BYTES) throw new WireFailure('protocol')
    this.text = bytes.toString('latin1', at, end)
    return end + HEAD_END.length
  }

  #readOn(bytes: Buffer, at: number): number {
    const previousLength = this.#begun.length
    const taken = Math.min(bytes.length - at, MAX_HEAD_BYTES + HEAD_END.length - previousLength)
    this.#begun.append(bytes.subarray(at, at + taken))
    const begun = this.#begun.bytes
    // The end may have begun in the bytes that arrived earlier.
    const end = begun.indexOf(HEAD_END, Math.max(0, previousLength - HEAD_END.length + 1), 'latin1')
    if (end >= 0) return this.#finish(end) - previousLength + at
    refuseHopeless(begun, previousLength)
    if (begun.length === MAX_HEAD_BYTES + HEAD_END.length) throw new WireFailure('protocol')
    return bytes.length
  }

  /** Returns where the head ended. */
  #finish(end: number): number {
    this.text = this.#begun.take().toString('latin1', 0, end)
    return end + HEAD_END.length
  }
}
