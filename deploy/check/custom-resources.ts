import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Compile, type XSchema } from 'typebox/schema'
import { parse, parseAllDocuments } from 'yaml'
import type { Report } from './report.ts'
import { findTool, run } from './run.ts'

// The schemas of objects that Kubernetes does not know itself, from the Go modules of the projects that define them.

const MODULES = [
  { module: 'sigs.k8s.io/gateway-api@v1.3.0', folder: 'config/crd/standard' },
  { module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0', folder: 'example/prometheus-operator-crd' },
]

type Schema = { [key: string]: unknown; properties?: Record<string, Schema>; items?: Schema }
type Definition = {
  spec?: { names: { kind: string }; versions: { name: string; schema: { openAPIV3Schema: Schema } }[] }
}
export type Manifest = { kind: string; apiVersion: string; [key: string]: unknown }
/** By `kind` and version, such as `HTTPRoute gateway.networking.k8s.io/v1`. */
type CustomSchemas = ReadonlyMap<string, XSchema>

export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null)
}

export function isCustom({ apiVersion }: Manifest): boolean {
  return /^(?:gateway\.networking\.k8s\.io|monitoring\.coreos\.com)\//.test(apiVersion)
}

/** Undefined where there is no Go, or no way to its modules. */
export function customSchemas(report: Report): CustomSchemas | undefined {
  const go = findTool('go', 'GO')
  const folders = go ? MODULES.map(({ module, folder }) => folderOf(go, module, folder)) : []
  const found = folders.filter((folder) => folder !== undefined)
  if (found.length === MODULES.length) return new Map(found.flatMap(schemasIn))
  report.skipped('schemas of HTTPRoute, ServiceMonitor and PrometheusRule', 'go cannot download their definitions')
  return undefined
}

export function checkCustom(report: Report, what: string, manifests: Manifest[], schemas: CustomSchemas): void {
  for (const manifest of manifests.filter(isCustom)) {
    const schema = schemas.get(`${manifest.kind} ${manifest.apiVersion}`)
    const [isRight, errors] = schema ? Compile(schema).Errors(manifest) : [false, []]
    const problem = errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ')
    report.line(`schema of ${manifest.kind}, ${what}`, isRight, isRight ? '' : problem || 'there is no schema')
  }
}

function folderOf(go: string, module: string, folder: string): string | undefined {
  const { isOk, stdout } = run(go, 'mod', 'download', '-json', module)
  return isOk ? join((JSON.parse(stdout) as { Dir: string }).Dir, folder) : undefined
}

function schemasIn(folder: string): [string, XSchema][] {
  const definitions = readdirSync(folder).map((file) => parse(readFileSync(join(folder, file), 'utf8')) as Definition)
  return definitions.flatMap(({ spec }) => (spec?.versions ?? []).map((version) => entryOf(spec!, folder, version)))
}

function entryOf(
  { names }: NonNullable<Definition['spec']>,
  folder: string,
  { name, schema }: NonNullable<Definition['spec']>['versions'][number],
): [string, XSchema] {
  const group = folder.includes('gateway-api') ? 'gateway.networking.k8s.io' : 'monitoring.coreos.com'
  return [`${names.kind} ${group}/${name}`, strict(schema.openAPIV3Schema)]
}

/** A cluster drops fields that a schema does not name. Here they are wrong. JavaScript has no flags inside of patterns. */
function strict(schema: Schema): Schema {
  const { properties, items, pattern } = schema
  if (typeof pattern === 'string' && pattern.includes('(?i)')) return { ...schema, pattern: '' }
  if (!properties) return items ? { ...schema, items: strict(items) } : schema
  const members = Object.entries(properties).map(([name, member]) => [name, strict(member)])
  const isOpen = 'x-kubernetes-preserve-unknown-fields' in schema || properties.metadata?.type === 'object'
  return { ...schema, properties: Object.fromEntries(members), ...(!isOpen && { additionalProperties: false }) }
}
