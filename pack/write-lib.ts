// Writes `lib/`: the program as JavaScript, for the npm package. Node does not strip types inside of node_modules, and it takes longer
// to load 2,000 modules than the same code in fewer files. So modules are bundled; the packages that they import are not. The console
// is bundled for browsers.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix, relative, sep } from 'node:path'
import { buildBundle } from '../src/http/console/build-bundle.ts'
import { BUILT_FOLDER } from '../src/http/console/bundle.ts'

const ROOT = join(import.meta.dirname, '..')
const SOURCE = join(ROOT, 'src')
/** Tests, and what only tests read. */
const FOR_TESTS = /(?:^|[\\/])fixtures[\\/]|\.test\.ts$|\.recorded\.json$/
/** What is found by its path: the program, and migrations by their number. Threads are found by a URL in the module that starts them. */
const ENTRY = /^cli\/main\.ts$|^platform\/store\/migrations\/\d/
const URL_OF_OWN_FILE = /new URL\('(\.{1,2}\/[^'\n]*)\.ts', import\.meta\.url\)/g
/** Stands for the folder `lib/` until it is known which file a module is in. */
const LIB = '__gatehouse_lib__'

/** Returns how many files there are. */
export async function writeLib(target = join(ROOT, 'lib')): Promise<number> {
  rmSync(target, { recursive: true, force: true })
  const files = sourceFiles()
  const data = files.filter((file) => !file.endsWith('.ts'))
  for (const file of data) copy(join(SOURCE, file), join(target, file))
  return data.length + (await writePrograms(files, target))
}

function sourceFiles(): string[] {
  const entries = readdirSync(SOURCE, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return files.map((path) => relative(SOURCE, path).replaceAll(sep, '/')).filter((file) => !FOR_TESTS.test(file))
}

/** Bundles a copy of the source without tests, in which modules find their files under `lib/`. Returns how many files it has become. */
async function writePrograms(files: readonly string[], target: string): Promise<number> {
  const { build, stop } = await import('esbuild')
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-source-'))
  const source = join(folder, 'src')
  const entries = new Set(files.filter((file) => ENTRY.test(file)))
  try {
    for (const file of files) {
      copy(join(SOURCE, file), join(source, file))
      if (!file.endsWith('.ts')) continue
      const text = readFileSync(join(SOURCE, file), 'utf8')
      for (const [, path] of text.matchAll(URL_OF_OWN_FILE)) entries.add(`${posix.join(posix.dirname(file), path!)}.ts`)
      writeFileSync(join(source, file), withOwnPaths(text, file))
    }
    const { outputFiles } = await build({
      entryPoints: Array.from(entries, (file) => join(source, file)),
      absWorkingDir: folder,
      outbase: source,
      outdir: target,
      chunkNames: 'chunks/[name]-[hash]',
      write: false,
      bundle: true,
      splitting: true,
      packages: 'external',
      legalComments: 'none',
      logLevel: 'warning',
      format: 'esm',
      platform: 'node',
      target: 'node24',
    })
    for (const { path, text } of outputFiles) {
      const lib = `${relative(dirname(path), target).replaceAll(sep, '/') || '.'}/`
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text.replaceAll(LIB, `new URL(${JSON.stringify(lib)}, import.meta.url)`))
    }
    return outputFiles.length
  } finally {
    rmSync(folder, { recursive: true })
    // It is a process of its own, which would stay.
    await stop()
  }
}

/** A module finds files beside its source. In the package they are at the same place under `lib/`, whichever file the module is in. */
export function withOwnPaths(text: string, file: string): string {
  const own = `new URL(${JSON.stringify(file)}, ${LIB}).href`
  return text.replace(URL_OF_OWN_FILE, "new URL('$1.js', import.meta.url)").replaceAll('import.meta.url', own)
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
}

/** The console as browsers load it. */
export async function writeConsole(target = join(ROOT, 'lib')): Promise<number> {
  const folder = join(target, 'http', 'console', BUILT_FOLDER)
  mkdirSync(folder, { recursive: true })
  const files = await buildBundle()
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes)
  return files.length
}

if (import.meta.main) {
  console.log(`lib/ has ${await writeLib()} files`)
  console.log(`the console has ${await writeConsole()} files`)
}
