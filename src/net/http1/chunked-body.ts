import { WireFailure } from '../../wire/wire.ts'

const CR = 13
const LF = 10
const TAB = 9
const SPACE = 32
const DELETE = 127
const SEMICOLON = 59
/** Six and a half bytes of length: more than anybody sends, and still exact in a number. */
const MAX_DIGITS = 13
/** Words after a length, and lines after the last chunk: nobody needs them, so nobody needs many. */
const MAX_IGNORED_BYTES = 16 * 1024
const EXTENSIONS = /^(?:;[!#$%&'*+.^_`|~\w-]+(?:=(?:[!#$%&'*+.^_`|~\w-]+|"(?:[^"\\]|\\.)*"))?)+$/
/** A length that comes after the body could only be another one. */
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

/** Takes the lengths out of a body that comes in chunks. Bytes may be cut anywhere. */
export class ChunkedBody {
  #state: State = 'size'
  #size = 0
  #digits = 0
  /** An extension, or the line after the last chunk, as far as it has come. */
  #words = ''
  #ignored = 0
  done = false

  /** Gives the data between `at` and the end of the bytes, piece by piece; returns where it stopped reading. */
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

  /** Nobody reads them, but they must be what they seem. */
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

/** Of a hexadecimal digit; -1 of anything else. */
function digitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
