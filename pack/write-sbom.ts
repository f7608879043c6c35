// Writes `sbom.cdx.json`, the list of components (CycloneDX) that package and image carry. `npm sbom` makes it from the lock
// file. With `installed` it has only what is in node_modules: npm itself refuses to list an installation without dev packages.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = join(import.meta.dirname, '..')
const FILE = 'sbom.cdx.json'
const OPTIONS = ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx', '--sbom-type=application']

type Sbom = {
  metadata: { component: { 'bom-ref': string; name: string } }
  components: { 'bom-ref': string }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** Returns how many components there are. */
export function writeSbom(source: 'locked' | 'installed', target = join(ROOT, FILE)): number {
  const locked = readSbom()
  const sbom = source === 'locked' ? locked : reduce(locked, installedPackages())
  // npm takes the name of the folder.
  sbom.metadata.component.name = (readJson('package.json') as { name: string }).name
  writeFileSync(target, `${JSON.stringify(sbom, undefined, 1)}\n`)
  return sbom.components.length
}

function readSbom(): Sbom {
  const isWindows = process.platform === 'win32'
  return JSON.parse(execFileSync('npm', OPTIONS, { cwd: ROOT, encoding: 'utf8', shell: isWindows, stdio: 'pipe' })) as Sbom
}

function installedPackages(): Set<string> {
  const { packages } = readJson('package-lock.json') as { packages: Record<string, { version?: string }> }
  const installed = Object.entries(packages).filter(([path]) => path !== '' && existsSync(join(ROOT, path)))
  return new Set(installed.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`))
}

function reduce(sbom: Sbom, kept: Set<string>): Sbom {
  const root = sbom.metadata.component['bom-ref']
  const isKept = (ref: string) => ref === root || kept.has(ref)
  const dependencies = sbom.dependencies.filter(({ ref }) => isKept(ref))
  return {
    ...sbom,
    components: sbom.components.filter((component) => isKept(component['bom-ref'])),
    dependencies: dependencies.map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
  }
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const count = writeSbom(process.argv[2] === 'installed' ? 'installed' : 'locked')
  console.log(`${FILE} has ${count} components`)
}
