import { WireFailure } from '../../contract/wire.ts'
import { refuseHopeless } from './response-head.ts'

const HEAD_END = '\r\n\r\n'
const MAX_HEAD_BYTES = 64 * 1024
const FIRST_ROOM_BYTES = 1024
const NOTHING = Buffer.alloc(0)

/** Finds the end of a head. The bytes may be cut anywhere; each is looked at once, and moved a few times at most. */
export class HeadBytes {
  /** What has come of a head that is not whole yet, and the room behind it. */
  #begun: Buffer = NOTHING
  #length = 0
  /** The lines of a head, once it is whole; undefined until then. */
  text: string | undefined

  /** Returns where it stopped reading. */
  read(bytes: Buffer, at: number): number {
    this.text = undefined
    if (this.#length > 0) return this.#readOn(bytes, at)
    const end = bytes.indexOf(HEAD_END, at, 'latin1')
    if (end < 0) return this.#readOn(bytes, at)
    if (end - at > MAX_HEAD_BYTES) throw new WireFailure('protocol')
    this.text = bytes.toString('latin1', at, end)
    return end + HEAD_END.length
  }

  #readOn(bytes: Buffer, at: number): number {
    const known = this.#length
    const taken = Math.min(bytes.length - at, MAX_HEAD_BYTES + HEAD_END.length - known)
    this.#append(bytes.subarray(at, at + taken))
    const begun = this.#begun.subarray(0, this.#length)
    // The end may have begun with the last bytes that were here before.
    const end = begun.indexOf(HEAD_END, Math.max(0, known - HEAD_END.length + 1), 'latin1')
    if (end >= 0) return this.#finish(end) - known + at
    refuseHopeless(begun, known)
    if (this.#length === MAX_HEAD_BYTES + HEAD_END.length) throw new WireFailure('protocol')
    return bytes.length
  }

  #append(piece: Buffer): void {
    const length = this.#length + piece.length
    if (length > this.#begun.length) {
      const room = Buffer.allocUnsafeSlow(Math.max(FIRST_ROOM_BYTES, length * 2))
      this.#begun.copy(room, 0, 0, this.#length)
      this.#begun = room
    }
    piece.copy(this.#begun, this.#length)
    this.#length = length
  }

  /** Returns where the head ended. */
  #finish(end: number): number {
    this.text = this.#begun.toString('latin1', 0, end)
    this.#begun = NOTHING
    this.#length = 0
    return end + HEAD_END.length
  }
}
