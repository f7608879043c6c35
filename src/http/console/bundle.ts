import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Compressed } from '../cached/compressed.ts'
import { makeAsset } from './asset.ts'
import { type BuiltFile, buildBundle, CONSOLE_SOURCE, sourceStamp } from './build-bundle.ts'
import { docsShell } from './docs-shell.ts'
import { consolePage } from './page.ts'

/** Everything that a browser needs for the console and the docs page, in memory. */
type Bundle = { page: string; docs: string; assets: ReadonlyMap<string, Compressed> }

/** In the package: written by pack/write-lib.ts. */
export const BUILT_FOLDER = 'built'

type CachedBundle = { stamp: string; bundle: Promise<Bundle> }
let cachedBundle: CachedBundle | undefined

/**
 * The console of now. The package brings it along; a checkout builds it when the first browser asks, and again after its source
 * has changed. Rejects if there is neither.
 */
export async function currentBundle(): Promise<Bundle> {
  const isCheckout = existsSync(CONSOLE_SOURCE)
  const stamp = isCheckout ? await sourceStamp() : 'package'
  if (cachedBundle?.stamp === stamp) return await cachedBundle.bundle
  const bundle = (isCheckout ? buildBundle() : readBuilt()).then(bundleOf)
  cachedBundle = { stamp, bundle }
  // A failure is not kept: the next request tries again.
  bundle.catch(() => (cachedBundle = undefined))
  return await bundle
}

/** The bundle that pages in open browsers were made from. It is not built again for an asset. */
export async function servedBundle(): Promise<Bundle> {
  return await (cachedBundle?.bundle ?? currentBundle())
}

async function readBuilt(): Promise<BuiltFile[]> {
  const folder = fileURLToPath(new URL(BUILT_FOLDER, import.meta.url))
  const names = await readdir(folder)
  return await Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(folder, name)) })))
}

export function bundleOf(files: readonly BuiltFile[]): Bundle {
  const assets = files.map((file) => [file.name, makeAsset(file)] as const)
  const names = files.map(({ name }) => name)
  return { page: consolePage(names), docs: docsShell(names), assets: new Map(assets) }
}
