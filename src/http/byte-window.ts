const SMALL_BYTES = 4 * 1024
const NOTHING = Buffer.alloc(0)

/**
 * The part of a stream that is being looked at. Bytes come in at its end and leave at its beginning; what has left stays
 * as it is. However finely they are cut, each byte is moved only a few times.
 */
export class ByteWindow {
  /** What `bytes` is a part of. Behind them there may be room for more. */
  #room: Buffer = NOTHING
  #end = 0
  bytes: Buffer = NOTHING

  append(chunk: Buffer): void {
    const start = this.#end - this.bytes.length
    if (this.bytes.length === 0) this.#hold(chunk, chunk.length)
    else if (this.#end + chunk.length > this.#room.length) this.#move(chunk)
    else {
      chunk.copy(this.#room, this.#end)
      this.#end += chunk.length
      this.bytes = this.#room.subarray(start, this.#end)
    }
  }

  /** The first bytes leave. */
  take(length: number): Buffer {
    const taken = this.bytes.subarray(0, length)
    this.bytes = this.bytes.subarray(length)
    return taken
  }

  #move(chunk: Buffer): void {
    const needed = this.bytes.length + chunk.length
    const room = Buffer.allocUnsafeSlow(chunk.length < SMALL_BYTES ? needed * 2 : needed)
    this.bytes.copy(room)
    chunk.copy(room, this.bytes.length)
    this.#hold(room, needed)
  }

  #hold(room: Buffer, end: number): void {
    this.#room = room
    this.#end = end
    this.bytes = room.subarray(0, end)
  }
}
