// Writes `lib/`: the program as JavaScript, for the npm package. Node does not strip types inside of node_modules. Types become
// spaces, so that line numbers in stack traces are those of the source. The console is bundled.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildBundle } from '../src/http/console/build-bundle.ts'
import { BUILT_FOLDER } from '../src/http/console/bundle.ts'

const ROOT = join(import.meta.dirname, '..')
/** Tests, and what only tests read. */
const FOR_TESTS = /(?:^|[\\/])fixtures[\\/]|\.test\.ts$|\.recorded\.json$/
/** The path of a file of ours at the end of a text or of a template: an import, a worker, or a file that is named by a table. */
const OWN_FILE = /(['"`])(\.{1,2}\/[^'"`\n]*)\.ts\1/g

/** Returns how many files there are. */
export function writeLib(target = join(ROOT, 'lib')): number {
  rmSync(target, { recursive: true, force: true })
  const files = sourceFiles()
  for (const file of files) writeFile(file, target)
  return files.length
}

function sourceFiles(): string[] {
  const entries = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return files.map((file) => file.slice(join(ROOT, 'src/').length)).filter((file) => !FOR_TESTS.test(file))
}

function writeFile(file: string, target: string): void {
  const source = join(ROOT, 'src', file)
  mkdirSync(dirname(join(target, file)), { recursive: true })
  if (!file.endsWith('.ts')) return cpSync(source, join(target, file))
  writeFileSync(join(target, file.replace(/\.ts$/, '.js')), toJavaScript(readFileSync(source, 'utf8')))
}

/** The console as browsers load it. An image brings along what another stage has built, because it has no esbuild. */
export async function writeConsole(target = join(ROOT, 'lib')): Promise<number> {
  const folder = join(target, 'http', 'console', BUILT_FOLDER)
  mkdirSync(folder, { recursive: true })
  const files = await buildBundle()
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes)
  return files.length
}

export function toJavaScript(text: string): string {
  return stripTypeScriptTypes(text).replace(OWN_FILE, '$1$2.js$1')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(`lib/ has ${writeLib()} files`)
  if (!process.argv.includes('--without-console')) console.log(`the console has ${await writeConsole()} files`)
}
