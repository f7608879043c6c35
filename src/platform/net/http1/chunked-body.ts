import { WireFailure } from '../../../translation/wire/wire.ts'

const CR = 13
const LF = 10
const TAB = 9
const SPACE = 32
const DELETE = 127
const SEMICOLON = 59
/** 13 hexadecimal digits are more than any server sends, and still an exact number. */
const MAX_DIGITS = 13
/** A limit for chunk extensions and trailers, which are read and dropped. */
const MAX_IGNORED_BYTES = 16 * 1024
const EXTENSIONS = /^(?:;[!#$%&'*+.^_`|~\w-]+(?:=(?:[!#$%&'*+.^_`|~\w-]+|"(?:[^"\\]|\\.)*"))?)+$/
/** A trailer must not state a length or a coding, because it could only contradict the body. */
const TRAILER = /^(?!content-length:|transfer-encoding:)[!#$%&'*+.^_`|~\w-]+:/i

type State =
  | 'size'
  | 'extension'
  | 'size end'
  | 'data'
  | 'data end'
  | 'data end 2'
  | 'line'
  | 'in line'
  | 'line end'
  | 'last'

/** Removes the chunk framing from a body. The bytes may be split anywhere. */
export class ChunkedBody {
  #state: State = 'size'
  #size = 0
  #digits = 0
  /** The part of an extension or a trailer that has arrived so far. */
  #words = ''
  #ignored = 0
  done = false

  /** Passes on the data between `at` and the end of the bytes, piece by piece. Returns where it stopped reading. */
  read(bytes: Buffer, at: number, give: (piece: Buffer) => void): number {
    while (at < bytes.length && !this.done) {
      if (this.#state !== 'data') this.#step(bytes[at++]!)
      else at = this.#data(bytes, at, give)
    }
    return at
  }

  #data(bytes: Buffer, at: number, give: (piece: Buffer) => void): number {
    const end = Math.min(bytes.length, at + this.#size)
    this.#size -= end - at
    if (this.#size === 0) this.#state = 'data end'
    give(bytes.subarray(at, end))
    return end
  }

  #step(byte: number): void {
    switch (this.#state) {
      case 'size':
        return this.#digit(byte)
      case 'extension':
        if (byte === CR) return this.#expect(EXTENSIONS.test(this.#words), 'size end')
        return this.#ignore(byte, 'extension')
      case 'size end':
        return this.#expect(byte === LF, this.#size === 0 ? 'line' : 'data')
      case 'data end':
        return this.#expect(byte === CR, 'data end 2')
      case 'data end 2':
        this.#digits = 0
        this.#ignored = 0
        return this.#expect(byte === LF, 'size')
      case 'line':
        this.#words = ''
        return byte === CR ? this.#expect(true, 'last') : this.#ignore(byte, 'in line')
      case 'in line':
        if (byte === CR) return this.#expect(TRAILER.test(this.#words), 'line end')
        return this.#ignore(byte, 'in line')
      case 'line end':
        return this.#expect(byte === LF, 'line')
      default:
        this.done = true
        return this.#expect(byte === LF, 'last')
    }
  }

  #digit(byte: number): void {
    const value = digitOf(byte)
    if (value >= 0) {
      this.#size = this.#size * 16 + value
      return this.#expect(++this.#digits <= MAX_DIGITS, 'size')
    }
    if (byte !== SEMICOLON) return this.#expect(this.#digits > 0 && byte === CR, 'size end')
    this.#words = ''
    this.#expect(this.#digits > 0, 'extension')
    this.#ignore(byte, 'extension')
  }

  /** Extensions and trailers are dropped, but they must be valid. */
  #ignore(byte: number, next: State): void {
    const isText = byte === TAB || (byte >= SPACE && byte !== DELETE)
    this.#words += String.fromCharCode(byte)
    this.#expect(isText && ++this.#ignored <= MAX_IGNORED_BYTES, next)
  }

  #expect(isRight: boolean, next: State): void {
    if (!isRight) throw new WireFailure('protocol')
    this.#state = next
  }
}

/** The value of a hexadecimal digit, or -1 for anything else. */
function digitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
