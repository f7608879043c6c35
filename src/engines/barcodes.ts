import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { boxAround } from './fractions.ts'
import { acceptedSize } from './picture-limits.ts'
import { Unreadable } from './unreadable.ts'

const program = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
// It would be fetched from the network otherwise.
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(await readFile(program)).buffer } })

const MOST_CODES = 100

/** Bar codes and square codes of all kinds that ZXing knows, wherever and however turned they stand. */
export async function findBarcodes({ bytes }: { bytes: Uint8Array }) {
  const size = acceptedSize(bytes)
  const found = await readBarcodes(bytes, { tryHarder: true, maxNumberOfSymbols: MOST_CODES })
  if (found.some(({ error }) => /load image/i.test(error)))
    throw new Unreadable('This picture is damaged or of an unknown kind')
  return found
    .filter(({ isValid }) => isValid)
    .map(({ text, format, position }) => ({ text, format, box: boxAround(Object.values(position), size) }))
}
