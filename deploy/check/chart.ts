import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../src/platform/config/config.ts'
import { checkCustom, customSchemas, isCustom, type Manifest, parseManifests } from './custom-resources.ts'
import { checkOptions } from './chart-options.ts'
import type { Report } from './report.ts'
import { findTool, lastLines, run } from './run.ts'

const CHART = 'deploy/helm/gatehouse'
/** The lowest version that the chart accepts, one in between, and the newest that kubernetes-validate knew when this was written. */
const KUBERNETES = ['1.27.0', '1.31.0', '1.37.0']
const SHARED = ['--set=database.existingSecret=a', '--set=encryptionKey.existingSecret=a']
const VALUES: Record<string, string[]> = {
  'the defaults': [],
  'no volume, a load balancer': ['-f', 'deploy/helm/examples/smallest.yaml'],
  'PostgreSQL, S3 and ingress': ['-f', 'deploy/helm/examples/production.yaml'],
  'autoscaling, network policy, shared volume, admin service': ['-f', 'deploy/helm/examples/autoscaling.yaml'],
  'workers, migrations, metrics, HTTPRoute, extra containers': ['-f', 'deploy/helm/examples/scaled.yaml'],
  'TLS in the pod, admin service': ['--set=tls.existingSecret=a,admin.enabled=true'],
}
const REFUSED: Record<string, string[]> = {
  'more than one replica needs PostgreSQL': ['--set=replicaCount=2'],
  'needs a shared encryption key': ['--set=replicaCount=2', '--set=database.existingSecret=a'],
  'needs shared files': ['--set=autoscaling.enabled=true', ...SHARED],
  'either blobs.url or': ['--set=blobs.url=s3://a', '--set=blobs.existingClaim=a'],
  'must not exceed autoscaling.maxReplicas': [
    ...['--set=autoscaling.enabled=true,autoscaling.minReplicas=9,autoscaling.maxReplicas=2'],
    ...['--set=blobs.url=s3://a', ...SHARED],
  ],
  'drain.seconds [+] 2': ['--set=drain.seconds=60'],
  'env.PORT: the chart sets': ['--set=env.PORT=1'],
  'env.TLS_CERT_FILE: the chart sets': ['--set=env.TLS_CERT_FILE=a'],
  'set tls.existingSecret': ['--set=config.tlsCertFile=a'],
  "replicas' not allowed": ['--set=replicas=2'],
  'migrationJob needs PostgreSQL': ['--set=migrationJob.enabled=true'],
  'needs PostgreSQL': ['--set=worker.enabled=true'],
  'autoscaling needs at least one target': [
    ...['--set=autoscaling.enabled=true,autoscaling.targetCPUUtilizationPercentage=0,blobs.url=s3://a'],
    ...SHARED,
  ],
  'must not be 0 with persistence': ['--set=rollout.maxUnavailable=0'],
  'must not both be 0': ['--set=persistence.enabled=false,rollout.maxUnavailable=0,rollout.maxSurge=0'],
  'httpRoute needs parentRefs': ['--set=httpRoute.enabled=true'],
  "gateway's own": ['--set=sidecars[0].name=gatehouse'],
  "chart's own volumes": ['--set=extraVolumes[0].name=data'],
  interval: ['--set=metrics.serviceMonitor.interval=soon'],
  pullPolicy: ['--set=image.pullPolicy=Sometimes'],
  'blobs/url': ['--set=blobs.url=https://example.com'],
}

export async function checkChart(report: Report): Promise<void> {
  const helm = findTool('helm', 'HELM')
  if (!helm) return report.skipped('chart', 'there is no helm (set HELM to its path)')
  const schemas = customSchemas(report)
  for (const [what, options] of Object.entries(VALUES)) {
    const { isOk, stdout } = run(helm, 'lint', '--strict', '--kube-version=1.31.0', CHART, ...options)
    report.line(`helm lint, ${what}`, isOk, isOk ? '' : lastLines(stdout))
    checkTemplates(report, helm, what, options)
    if (schemas) checkCustom(report, what, rendered(helm, options), schemas)
  }
  checkOptions(report, (...options) => rendered(helm, options))
  for (const [message, options] of Object.entries(REFUSED)) {
    const { isOk, stderr } = template(helm, '1.31.0', options)
    report.line(`refused: ${options.join(' ')}`, !isOk && new RegExp(message).test(stderr), lastLines(stderr, 1))
  }
}

function checkTemplates(report: Report, helm: string, what: string, options: string[]): void {
  const validate = findTool('kubernetes-validate', 'KUBERNETES_VALIDATE')
  if (!validate)
    report.skipped(`Kubernetes schemas, ${what}`, 'there is no kubernetes-validate (pip install kubernetes-validate)')
  for (const version of KUBERNETES) {
    const { isOk, stdout, stderr } = template(helm, version, options)
    report.line(`helm template for ${version}, ${what}`, isOk, isOk ? '' : lastLines(stderr))
    if (isOk && validate) checkSchemas(report, { validate, version, what, manifests: stdout })
    if (isOk && version === KUBERNETES[0]) checkConfig(report, what, stdout)
  }
}

function rendered(helm: string, options: string[]): Manifest[] {
  return parseManifests(template(helm, '1.31.0', options).stdout)
}

function template(helm: string, version: string, options: string[]) {
  return run(helm, 'template', 'rehearsal', CHART, '--namespace=ai', `--kube-version=${version}`, ...options)
}

type Rendered = { validate: string; version: string; what: string; manifests: string }

function checkSchemas(report: Report, { validate, version, what, manifests }: Rendered): void {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-chart-'))
  const known = parseManifests(manifests).filter((manifest) => !isCustom(manifest))
  writeFileSync(join(folder, 'manifests.yaml'), known.map((manifest) => JSON.stringify(manifest)).join('\n---\n'))
  const { isOk, stdout, stderr } = run(validate, '--strict', '-k', version, join(folder, 'manifests.yaml'))
  const passed = `${stdout}${stderr}`.split(' passed for resource ').length - 1
  const isRight = isOk && passed === known.length
  report.line(`schemas of ${version}, ${what}`, isRight, isRight ? `${passed} resources` : lastLines(stdout + stderr))
  rmSync(folder, { recursive: true })
}

/** The config file of the ConfigMap has to be one that the program accepts. */
function checkConfig(report: Report, what: string, manifests: string): void {
  const text = /^ {2}gatehouse\.config\.json: (".*")$/m.exec(manifests)?.[1]
  if (!text) return
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-config-'))
  const file = join(folder, 'gatehouse.config.json')
  writeFileSync(file, JSON.parse(text) as string)
  try {
    loadConfig({ GATEHOUSE_CONFIG: file })
    report.line(`the program accepts the config file, ${what}`, true)
  } catch (error) {
    report.line(`the program accepts the config file, ${what}`, false, (error as Error).message)
  }
  rmSync(folder, { recursive: true })
}
