import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const TESTS = ['src/**/*.test.ts', 'test/!(console)/**/*.test.ts', 'test/*.test.ts']
const READS_THE_VARIABLE = /process\.env\.GATEHOUSE_SOAK/
/** Imports of modules of this project. */
const IMPORT = /from '(\.[^']+\.ts)'/g

/**
 * The test files that try more when GATEHOUSE_SOAK is set, by themselves or through what they import from `test/`. The tests of
 * the console choose their store by a variable of their own.
 */
export function sampledTests(): string[] {
  const known = new Map<string, boolean>()
  return globSync(TESTS, { cwd: ROOT })
    .filter((file) => isSampled(join(ROOT, file), known))
    .sort()
}

function isSampled(file: string, known: Map<string, boolean>): boolean {
  const before = known.get(file)
  if (before !== undefined) return before
  // For modules that import each other.
  known.set(file, false)
  const text = readFileSync(file, 'utf8')
  const imported = Array.from(text.matchAll(IMPORT), ([, path]) => join(dirname(file), path!))
  const fromTests = imported.filter((path) => path.startsWith(join(ROOT, 'test')))
  const found = READS_THE_VARIABLE.test(text) || fromTests.some((path) => isSampled(path, known))
  known.set(file, found)
  return found
}
