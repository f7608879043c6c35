import { extname } from 'node:path'
import { constants } from 'node:zlib'
import { type Compressed, compressible } from '../cached/compressed.ts'
import { KB } from '../../base/units/units.ts'
import type { BuiltFile } from './build-bundle.ts'

export const ASSET_TYPES = { '.js': 'text/javascript', '.css': 'text/css' } as const

const LARGE_BYTES = 300 * KB
const LARGE_QUALITY = 6

/** A file of the console, or of the docs page. Its name has a hash of its content, so it never changes. */
export function makeAsset({ name, bytes }: BuiltFile): Compressed {
  const type = ASSET_TYPES[extname(name) as keyof typeof ASSET_TYPES]
  // The guides would take seconds at the highest quality, and the first reader waits for them.
  const quality = bytes.length > LARGE_BYTES ? LARGE_QUALITY : constants.BROTLI_MAX_QUALITY
  return compressible(bytes, `${type}; charset=utf-8`, quality)
}
