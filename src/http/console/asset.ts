import { extname } from 'node:path'
import { constants } from 'node:zlib'
import { type Compressed, compressible } from '../cached/compressed.ts'
import type { BuiltFile } from './build-bundle.ts'

export const ASSET_TYPES = { '.js': 'text/javascript', '.css': 'text/css' } as const

/** A file of the console, or of the docs page. Its name has a hash of its content, so it never changes. */
export function makeAsset({ name, bytes }: BuiltFile): Compressed {
  const type = ASSET_TYPES[extname(name) as keyof typeof ASSET_TYPES]
  return compressible(bytes, `${type}; charset=utf-8`, constants.BROTLI_MAX_QUALITY)
}
