import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export type BuiltFile = { name: string; bytes: Uint8Array }

/** Where the source of the console is in a checkout. The package has only what was built from it. */
export const CONSOLE_SOURCE = join(import.meta.dirname, '..', '..', '..', 'console')

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
      ...{ outdir: source, write: false, bundle: true, minify: true, splitting: true, legalComments: 'none' },
      ...{ format: 'esm', target: 'es2023', jsx: 'automatic', jsxImportSource: 'preact', logLevel: 'silent' },
      ...{ entryNames: '[name]-[hash]', chunkNames: '[name]-[hash]' },
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

/** A text that changes whenever a file of the source does. */
export async function sourceStamp(source = CONSOLE_SOURCE): Promise<string> {
  const entries = await readdir(source, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const lines = files.sort().map(async (file) => `${file} ${(await stat(file)).mtimeMs}`)
  return (await Promise.all(lines)).join('\n')
}
