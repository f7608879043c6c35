import { hash } from 'node:crypto'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { BuiltFile } from './build-bundle.ts'

/** A file of the console with its compressed forms. Its name has a hash of its content, so it never changes. */
export type Asset = { type: string; etag: string; plain: Uint8Array; br: Uint8Array; gzip: Uint8Array }
export type Encoding = 'plain' | 'br' | 'gzip'

export const ASSET_TYPES = { '.js': 'text/javascript', '.css': 'text/css' } as const

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }

/** Compresses in threads of Node, once for all browsers. */
export async function makeAsset({ name, bytes }: BuiltFile): Promise<Asset> {
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(bytes, BROTLI),
    promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ])
  const type = ASSET_TYPES[extname(name) as keyof typeof ASSET_TYPES]
  return { type, etag: `"${hash('sha256', bytes).slice(0, 32)}"`, plain: bytes, br, gzip: zipped }
}

/** The smallest form that the browser takes. A form with the weight 0 is refused. */
export function encodingFor(header: string | undefined): Encoding {
  const accepted = (header ?? '').split(',').map((part) => part.replace(/\s/g, '').toLowerCase())
  const takes = (name: string) =>
    accepted.some((part) => part === name || new RegExp(`^${name};q=(1|0\\.0*[1-9])`).test(part))
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : 'plain'
}
