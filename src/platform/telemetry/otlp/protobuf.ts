import { Buffer } from 'node:buffer'

// The wire format of protobuf, as far as OTLP needs it. What is written are texts with one character for each byte: V8 joins
// texts without copying them, and many parts of a message need the length of what they hold first.

const [VARINT, FIXED64, LENGTH, FIXED32] = [0, 1, 2, 5] as const
const EIGHT = Buffer.alloc(8)
const MAX_VARINT_BYTES = 10
const ALL_ASCII = /^[\0-\x7f]*$/

export function varint(value: number): string {
  if (value < 0x80) return String.fromCharCode(value)
  let text = ''
  let rest = value
  // Beyond 32 bits there are no bit operations on numbers.
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) text += String.fromCharCode((rest % 0x80) | 0x80)
  return text + String.fromCharCode(rest)
}

/** A 64-bit integer, which has ten bytes if it is negative. */
export function int64(value: number): string {
  if (value >= 0) return varint(value)
  let rest = BigInt.asUintN(64, BigInt(value))
  let text = ''
  for (; rest >= 0x80n; rest >>= 7n) text += String.fromCharCode(Number(rest & 0x7fn) | 0x80)
  return text + String.fromCharCode(Number(rest))
}

export function double(value: number): string {
  EIGHT.writeDoubleLE(value)
  return EIGHT.toString('latin1')
}

export function fixed64(value: bigint): string {
  EIGHT.writeBigUInt64LE(value)
  return EIGHT.toString('latin1')
}

/** The bytes of a text. */
export function utf8(text: string): string {
  return ALL_ASCII.test(text) ? text : Buffer.from(text).toString('latin1')
}

export function hexBytes(hex: string): string {
  return Buffer.from(hex, 'hex').toString('latin1')
}

/** A field that holds a number. */
export function numberField(field: number, written: string): string {
  return varint((field << 3) | VARINT) + written
}

/** A field of eight bytes. */
export function field64(field: number, written: string): string {
  return varint((field << 3) | FIXED64) + written
}

/** A field that holds bytes, a text or a message. */
export function field(number: number, content: string): string {
  return varint((number << 3) | LENGTH) + varint(content.length) + content
}

/** Like `field`, if the content is known only by its length. */
export function fieldHead(number: number, length: number): string {
  return varint((number << 3) | LENGTH) + varint(length)
}

/** `raw` is the whole field, as it stands in the message. */
type ReadField = {
  readonly field: number
  readonly number: number
  readonly bytes: Uint8Array
  readonly raw: Uint8Array
}
type Content = Pick<ReadField, 'number' | 'bytes'>
const NOTHING = new Uint8Array()

/**
 * The fields of a message, in their order. Throws if the bytes are no message, or if there are more fields than `room` has. Numbers beyond
 * 2^53 are not exact.
 */
export function readMessage(message: Uint8Array, room: { fields: number } = { fields: Infinity }): ReadField[] {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.length)
  const fields: ReadField[] = []
  let at = 0
  while (at < bytes.length) {
    if (--room.fields < 0) throw new RangeError('there are too many fields')
    const start = at
    const tag = readVarint()
    const kind = tag % 8
    const number = Math.floor(tag / 8)
    if (number === 0) throw new RangeError('no field has the number 0')
    const content = readContent(kind)
    fields.push({ field: number, ...content, raw: bytes.subarray(start, at) })
  }
  return fields

  function readContent(kind: number): Content {
    if (kind === VARINT) return { number: readVarint(), bytes: NOTHING }
    const length = kind === LENGTH ? readVarint() : kind === FIXED64 ? 8 : kind === FIXED32 ? 4 : Number.NaN
    if (!(at + length <= bytes.length)) throw new RangeError('a field is longer than its message')
    const content = bytes.subarray(at, at + length)
    at += length
    return { number: 0, bytes: content }
  }

  function readVarint(): number {
    let value = 0n
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      const byte = bytes[at++]
      if (byte === undefined) break
      value |= BigInt(byte & 0x7f) << BigInt(7 * i)
      if (byte < 0x80) return Number(BigInt.asIntN(64, value))
    }
    throw new RangeError('a number has no end')
  }
}
