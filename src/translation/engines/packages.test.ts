import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const IMPORTED = /(?:from |import\(|require\(|resolve\(|url\)\()'((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^']*)?'/g
const MAX_BYTES = 60_000_000
/** Licences that ask for more than to be named. */
const NOT_PERMISSIVE = /GPL|UNLICENSED|SEE LICENSE|CC-BY-NC/i

test('what the engines are made of is permissive, told in docs/local.md, and optional where it is over 60 MB', () => {
  const described = readFileSync(join(ROOT, 'docs/local.md'), 'utf8')
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const names = packagesOfEngines()
  assert.ok(names.length >= 12, names.join())
  for (const name of names) {
    const folder = join(ROOT, 'node_modules', name)
    const { license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    assert.ok(license && !NOT_PERMISSIVE.test(license), `${name}: ${license}`)
    assert.ok(described.includes(name), `docs/local.md does not list ${name}`)
    const bytes = sizeOf(folder)
    assert.ok(bytes <= MAX_BYTES || name in optionalDependencies, `${name} has ${bytes} bytes and is not optional`)
  }
})

function packagesOfEngines(): string[] {
  const files = globSync('**/*.ts', { cwd: import.meta.dirname }).filter((file) => !/\.test\.ts$|^fixtures/.test(file))
  const texts = files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
  return [...new Set(texts.flatMap((text) => Array.from(text.matchAll(IMPORTED), ([, name]) => name!)))].filter(
    (name) => name !== 'node',
  )
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
