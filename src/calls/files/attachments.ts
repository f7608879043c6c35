import { asBuffer } from '../../base/bytes/as-buffer.ts'
import type { WireRequest } from '../../translation/wire/wire.ts'
import { joined } from '../../translation/dialects/form-body.ts'
import type { WireSource } from '../../translation/wire/wire.ts'
import type { OpenFile } from './open-file.ts'
import { base64Length, base64Of } from './base64.ts'
import type { TempFiles } from './temp-files.ts'

// The files of a chat are read from the disk while they are sent. Until then, a marker replaces the base64 of each file: the
// base64 of the file's first bytes, followed by a random secret. So the beginning of the file can be sniffed,
// a dialect passes the marker on like any base64, and code that decodes it gets bytes that identify the file.

/** As many bytes as dialects and hooks look at, in whole groups of three. */
const HEAD_BYTES = 48
const HEAD_CHARS = 64
const WORD = 'gatehousefile'
const NUMBER_DIGITS = 3
const SIZE_DIGITS = 12
/** The secret, 32 characters of an id, the number of the file and its size, in whole groups of four. */
const NAME_CHARS = WORD.length + 32 + NUMBER_DIGITS + SIZE_DIGITS

export class Attachments {
  readonly tempFiles: TempFiles
  readonly #secret: string
  readonly #files: OpenFile[] = []

  constructor(tempFiles: TempFiles, id: string) {
    this.tempFiles = tempFiles
    this.#secret = WORD + id.replaceAll('-', '')
  }

  /** Returns the marker that replaces the file's base64. */
  async add(file: OpenFile): Promise<string> {
    const head = (await firstBytes(file, HEAD_BYTES)).toString('base64')
    const number = String(this.#files.push(file) - 1).padStart(NUMBER_DIGITS, '0')
    return `${head}${this.#secret}${number}${String(base64Length(file.size)).padStart(SIZE_DIGITS, '0')}`
  }

  /** The file that a marker stands for; undefined for any other base64. */
  find(base64: string): OpenFile | undefined {
    return base64.length === HEAD_CHARS + NAME_CHARS ? this.#named(base64.slice(HEAD_CHARS)) : undefined
  }

  /** Like find, but the caller has decoded the base64. */
  findDecoded(bytes: Uint8Array): OpenFile | undefined {
    if (bytes.length !== ((HEAD_CHARS + NAME_CHARS) * 3) / 4) return undefined
    return this.find(asBuffer(bytes).toString('base64'))
  }

  /** How many characters of base64 the markers will add when they are replaced. */
  get chars(): number {
    return this.#files.reduce((sum, { size }) => sum + base64Length(size), 0)
  }

  /** The request as it is sent: the markers in its body are replaced by the base64 of the files, read from the disk. */
  fill(wire: WireRequest): WireRequest {
    if (typeof wire.body !== 'string') return wire
    const pieces = this.#pieces(wire.body)
    return pieces.length === 1 ? wire : { ...wire, body: null, source: joined(pieces) }
  }

  async close(): Promise<void> {
    await this.tempFiles.close()
  }

  #pieces(body: string): (Uint8Array | WireSource)[] {
    const pieces: (Uint8Array | WireSource)[] = []
    let from = 0
    for (let at = body.indexOf(this.#secret); at >= 0; at = body.indexOf(this.#secret, at + NAME_CHARS)) {
      const file = this.#named(body.slice(at, at + NAME_CHARS))
      if (!file) continue
      pieces.push(Buffer.from(body.slice(from, at - HEAD_CHARS)), base64Source(file))
      from = at + NAME_CHARS
    }
    return [...pieces, Buffer.from(body.slice(from))]
  }

  #named(name: string): OpenFile | undefined {
    if (!name.startsWith(this.#secret)) return undefined
    return this.#files[Number(name.slice(this.#secret.length, this.#secret.length + NUMBER_DIGITS))]
  }
}

/** The length of this base64 after its marker has been replaced. */
export function charsOfData(data: string): number {
  const name = data.slice(-NAME_CHARS)
  return name.length === NAME_CHARS && name.startsWith(WORD) ? Number(name.slice(-SIZE_DIGITS)) || 0 : data.length
}

function base64Source({ size, read }: OpenFile): WireSource {
  return { length: base64Length(size), read: () => base64Of(read()) }
}

async function firstBytes({ read }: OpenFile, count: number): Promise<Buffer> {
  let head = Buffer.alloc(0)
  for await (const chunk of read()) {
    head = Buffer.concat([head, chunk])
    if (head.length >= count) break
  }
  return head.subarray(0, count)
}
