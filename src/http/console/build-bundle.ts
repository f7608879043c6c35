import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'

export type BuiltFile = { name: string; bytes: Uint8Array }

/** Where the source of the console is in a checkout. The package has only what was built from it. */
export const CONSOLE_SOURCE = fileURLToPath(new URL('../../../console', import.meta.url))

/** The guides, and the program that reads them. */
const DOCS_SOURCE = join(CONSOLE_SOURCE, '..', 'docs')

/**
 * Bundles the console (one script for the first paint, one for each screen that is opened, one style) and the docs page, which
 * shares no file with the console, because the API's listener serves it, too. The names have hashes of the contents. esbuild
 * is a development dependency, so it is loaded only here.
 */
export async function buildBundle(source = CONSOLE_SOURCE): Promise<BuiltFile[]> {
  const { build, stop } = await import('esbuild')
  const bundle = async (entries: Record<string, string>) => {
    const { outputFiles } = await build({
      entryPoints: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(source, file)])),
      outdir: source,
      write: false,
      bundle: true,
      minify: true,
      splitting: true,
      legalComments: 'none',
      format: 'esm',
      target: 'es2023',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      logLevel: 'silent',
      plugins: [GUIDES],
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
    })
    return outputFiles.map(({ path, contents }) => ({ name: path.slice(source.length + 1), bytes: contents }))
  }
  try {
    const console = await bundle({ console: 'main.tsx', theme: 'theme.ts' })
    return [...console, ...(await bundle({ docs: 'docs/main.tsx' }))]
  } finally {
    // It is a process of its own, which would stay.
    await stop()
  }
}

/** The module `guides` of the docs page: the pages of docs/, which a browser loads when a reader opens or searches them. */
const GUIDES: Plugin = {
  name: 'guides',
  setup(build) {
    build.onResolve({ filter: /^virtual:guides$/ }, () => ({ path: 'guides', namespace: 'guides' }))
    build.onLoad({ filter: /^guides$/, namespace: 'guides' }, async () => {
      const { guidePages } = (await import(pathToFileURL(join(DOCS_SOURCE, 'guides.ts')).href)) as {
        guidePages: () => Promise<object[]>
      }
      return { contents: `export const GUIDES = ${JSON.stringify(await guidePages())}`, loader: 'js' }
    })
  },
}

/** A text that changes whenever a file of the source does. */
export async function sourceStamp(...sources: string[]): Promise<string> {
  const folders = sources.length > 0 ? sources : [CONSOLE_SOURCE, DOCS_SOURCE]
  const found = folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true }))
  const entries = (await Promise.all(found)).flat()
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const lines = files.sort().map(async (file) => `${file} ${(await stat(file)).mtimeMs}`)
  return (await Promise.all(lines)).join('\n')
}
