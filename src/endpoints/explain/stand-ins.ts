import { HELD_BYTES } from '../../calls/files/temp-file-writer.ts'

// Files of callers are named in an explanation, and not opened. Until a request is shown, stand-ins take the place of their bytes.

/** Encoders read the type and size of an image from its first bytes: these are complete headers of images of one pixel. */
const HEADS: Readonly<Record<string, Buffer>> = {
  'image/png': Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  ),
  'image/jpeg': Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100ffd9', 'hex'),
  'image/gif': Buffer.from('47494638396101000100800000000000ffffff2c000000000100010000020244003b', 'hex'),
  'image/webp': Buffer.from('5249464616000000574542505650385800000000000000000000000000000000', 'hex'),
}
const NO_HEAD = Buffer.alloc(0)

export class StandIns {
  readonly #all: { shown: string; bytes: Buffer; base64: string }[] = []

  /** Bytes of the right type and length. Files that are read while they are sent are never wanted as a whole. */
  of({ reference, type, size = 0 }: { reference: string; type: string; size?: number | undefined }): Uint8Array {
    const shown = `[file ${reference}]`
    const content = Buffer.concat([HEADS[type] ?? NO_HEAD, Buffer.from(`${shown}#${this.#all.length}`)])
    const bytes = Buffer.alloc(Math.max(content.length, size <= HELD_BYTES ? size : 0), ' ')
    content.copy(bytes)
    this.#all.push({ shown, bytes, base64: bytes.toString('base64') })
    return bytes
  }

  /** The name of the file that these bytes stand for. */
  nameOf(bytes: Buffer): string | undefined {
    return this.#all.find((one) => one.bytes.equals(bytes))?.shown
  }

  /** The text of a request, with the names of files in the place of their content. */
  shownIn(text: string): string {
    return this.#all.reduce((shown, { base64, bytes, ...one }) => {
      const name = JSON.stringify(one.shown).slice(1, -1)
      return shown.replaceAll(base64, name).replaceAll(JSON.stringify(bytes.toString('utf8')).slice(1, -1), name)
    }, text)
  }
}
