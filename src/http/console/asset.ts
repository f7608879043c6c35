import { extname } from 'node:path'
import { constants } from 'node:zlib'
import { type Compressed, compress } from '../cached/compressed.ts'
import type { BuiltFile } from './build-bundle.ts'

export const ASSET_TYPES = { '.js': 'text/javascript', '.css': 'text/css' } as const

export type Asset = () => Promise<Compressed>

/**
 * A file of the console, or of the docs page. Its name has a hash of its content, so it never changes. It is compressed when
 * the first browser asks for it: compressing all of them takes most of a second, for which the first page would wait.
 */
export function makeAsset({ name, bytes }: BuiltFile): Asset {
  const type = ASSET_TYPES[extname(name) as keyof typeof ASSET_TYPES]
  let compressed: Promise<Compressed> | undefined
  return () => {
    compressed ??= compress(bytes, `${type}; charset=utf-8`, constants.BROTLI_MAX_QUALITY)
    return compressed
  }
}
