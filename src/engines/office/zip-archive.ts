import { inflateRawSync } from 'node:zlib'
import { Unreadable } from '../unreadable.ts'

// Members of a zip archive, one at a time and by name. What it would unpack to is told by its directory and is not believed:
// unpacking stops where more comes out than was told.

const MOST_MEMBERS = 10_000
/** Of all members that are read, unpacked. */
const MOST_BYTES = 128 * 1024 * 1024

const DIRECTORY_END = Buffer.from('PK\x05\x06', 'latin1')
const DIRECTORY_END_BYTES = 22
const LONGEST_COMMENT = 65_535
const ENTRY = 0x02014b50
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30
const ENCRYPTED = 0x01
const [STORED, DEFLATED] = [0, 8]

type Member = { method: number; packed: number; unpacked: number; header: number; isEncrypted: boolean }

export class ZipArchive {
  readonly #bytes: Buffer
  readonly #members: Map<string, Member>
  #left = MOST_BYTES

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#members = readable(() => membersOf(this.#bytes))
  }

  /** Undefined where there is no such member. */
  read(name: string): Uint8Array | undefined {
    const member = this.#members.get(name)
    if (!member) return undefined
    if (member.isEncrypted) throw new Unreadable('This document is encrypted')
    if (member.unpacked > this.#left) throw tooLarge()
    this.#left -= member.unpacked
    return readable(() => unpack(this.#bytes, member))
  }
}

function membersOf(bytes: Buffer): Map<string, Member> {
  const end = bytes.lastIndexOf(DIRECTORY_END)
  const isAtEnd = end >= 0 && end >= bytes.length - DIRECTORY_END_BYTES - LONGEST_COMMENT
  if (!isAtEnd) throw damaged()
  const count = bytes.readUInt16LE(end + 10)
  if (count > MOST_MEMBERS) throw tooLarge()
  const members = new Map<string, Member>()
  let at = bytes.readUInt32LE(end + 16)
  for (let index = 0; index < count; index++) {
    if (bytes.readUInt32LE(at) !== ENTRY) throw damaged()
    const nameEnd = at + ENTRY_BYTES + bytes.readUInt16LE(at + 28)
    members.set(bytes.toString('utf8', at + ENTRY_BYTES, nameEnd), memberAt(bytes, at))
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return members
}

function memberAt(bytes: Buffer, at: number): Member {
  return {
    isEncrypted: (bytes.readUInt16LE(at + 8) & ENCRYPTED) !== 0,
    method: bytes.readUInt16LE(at + 10),
    packed: bytes.readUInt32LE(at + 20),
    unpacked: bytes.readUInt32LE(at + 24),
    header: bytes.readUInt32LE(at + 42),
  }
}

function unpack(bytes: Buffer, { method, packed, unpacked, header }: Member): Uint8Array {
  const start = header + LOCAL_BYTES + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28)
  const data = bytes.subarray(start, start + packed)
  if (data.length < packed || (method !== STORED && method !== DEFLATED)) throw damaged()
  if (unpacked === 0) return new Uint8Array()
  const member = method === STORED ? data : inflateRawSync(data, { maxOutputLength: unpacked })
  if (member.length !== unpacked) throw damaged()
  return member
}

/** Places that lie outside of the file, streams that are none or longer than they should be: all one to the reader. */
function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof Unreadable ? error : damaged()
  }
}

function damaged() {
  return new Unreadable('This document is damaged: it is a zip archive that cannot be unpacked')
}

function tooLarge() {
  return new Unreadable(`This document would unpack to more than ${MOST_BYTES / 1024 / 1024} MB`)
}
