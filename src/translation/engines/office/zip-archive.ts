import { inflateRawSync } from 'node:zlib'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { asBuffer } from '../../../base/bytes/as-buffer.ts'
import { ENGINE_BYTES } from '../pool/engine-memory.ts'
import { Unreadable } from '../pool/unreadable.ts'
import { MB } from '../../../base/units/units.ts'

// Reads members of a zip archive by name, one at a time. yauzl reads the directory. The size in the directory is not trusted:
// decompression stops when more comes out. fflate cannot do that: it decompresses to the end, and a member of 1 MB that claims
// 1,000 bytes keeps it busy for seconds.

const MAX_MEMBERS = 10_000
/** The limit for all members together, decompressed. The largest is in memory as bytes, while it is decompressed twice, and as text. */
const MAX_BYTES = Math.min(128 * MB, ENGINE_BYTES / 4)
const [STORED, DEFLATED] = [0, 8]

export class ZipArchive {
  readonly #bytes: Buffer
  readonly #file: ZipFile
  readonly #members: Map<string, Entry>
  #remainingBytes = MAX_BYTES

  private constructor(bytes: Buffer, file: ZipFile, members: Map<string, Entry>) {
    this.#bytes = bytes
    this.#file = file
    this.#members = members
  }

  static async open(input: Uint8Array): Promise<ZipArchive> {
    const bytes = asBuffer(input)
    // Names are decoded here, because yauzl would reject a whole archive for one unsafe path.
    const file = await readable(() => fromBufferPromise(bytes, { decodeStrings: false }))
    if (file.entryCount > MAX_MEMBERS) throw tooLarge()
    return new ZipArchive(bytes, file, await readable(() => membersOf(file)))
  }

  /** Undefined if there is no such member. */
  async read(name: string): Promise<Uint8Array | undefined> {
    const member = this.#members.get(name)
    if (!member) return undefined
    if (member.isEncrypted()) throw new Unreadable('This document is encrypted')
    if (member.uncompressedSize > this.#remainingBytes) throw tooLarge()
    this.#remainingBytes -= member.uncompressedSize
    return await readable(() => this.#unpack(member))
  }

  async #unpack(member: Entry): Promise<Uint8Array> {
    const { compressionMethod: method, compressedSize, uncompressedSize } = member
    const { fileDataStart } = await this.#file.readLocalFileHeaderPromise(member, { minimal: true })
    const data = this.#bytes.subarray(fileDataStart, fileDataStart + compressedSize)
    if (data.length < compressedSize || (method !== STORED && method !== DEFLATED)) throw damaged()
    if (uncompressedSize === 0) return new Uint8Array()
    const unpacked = method === STORED ? data : inflateRawSync(data, { maxOutputLength: uncompressedSize })
    if (unpacked.length !== uncompressedSize) throw damaged()
    return unpacked
  }
}

async function membersOf(file: ZipFile): Promise<Map<string, Entry>> {
  const members = new Map<string, Entry>()
  for await (const entry of file.eachEntry()) members.set(entry.fileNameRaw.toString('utf8'), entry)
  return members
}

/** Every problem with an archive gets the same error. */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof Unreadable ? error : damaged()
  }
}

function damaged() {
  return new Unreadable('This document is damaged: it is a zip archive that cannot be decompressed')
}

function tooLarge() {
  return new Unreadable(`This document would decompress to more than ${Math.floor(MAX_BYTES / 1024 / 1024)} MB`)
}
