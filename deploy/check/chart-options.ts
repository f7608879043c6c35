import { isDeepStrictEqual } from 'node:util'
import type { Manifest } from './custom-resources.ts'
import type { Report } from './report.ts'

// What each option of the chart has to make of the manifests, which a schema cannot say.

type Render = (...options: string[]) => Manifest[]
/** The value at a path of a manifest, such as `spec.template.spec.containers.0.args`. */
type Reading = [manifest: string, path: string]

const SEVERAL = ['--set=database.existingSecret=a,encryptionKey.existingSecret=a,blobs.url=s3://a']
const POD = 'spec.template.spec'

type Expectation = { what: string; options: string[]; reads: [...Reading, expected: unknown][] }

const EXPECTED: Expectation[] = [
  {
    what: 'without workers, a gateway does everything',
    options: [],
    reads: [
      ['StatefulSet r-gatehouse', `${POD}.containers.0.args`, undefined],
      ['StatefulSet r-gatehouse', 'spec.updateStrategy', { type: 'RollingUpdate' }],
      ['StatefulSet r-gatehouse-worker', 'kind', undefined],
    ],
  },
  {
    what: 'workers have pods, probes and a budget of their own, and get no requests',
    options: [...SEVERAL, '--set=worker.enabled=true,worker.replicaCount=3,worker.resources.limits.memory=6Gi'],
    reads: [
      ['StatefulSet r-gatehouse', `${POD}.containers.0.args`, ['serve', '--role', 'api']],
      ['StatefulSet r-gatehouse', 'spec.selector.matchLabels.app\\.kubernetes\\.io/component', 'gateway'],
      ['StatefulSet r-gatehouse-worker', `${POD}.containers.0.args`, ['serve', '--role', 'worker']],
      ['StatefulSet r-gatehouse-worker', 'spec.replicas', 3],
      ['StatefulSet r-gatehouse-worker', `${POD}.containers.0.ports.length`, 1],
      ['StatefulSet r-gatehouse-worker', `${POD}.containers.0.readinessProbe.httpGet.port`, 'admin'],
      ['StatefulSet r-gatehouse-worker', `${POD}.containers.0.resources`, { limits: { memory: '6Gi' } }],
      ['StatefulSet r-gatehouse-worker', 'spec.selector.matchLabels.app\\.kubernetes\\.io/component', 'worker'],
      ['Service r-gatehouse', 'spec.selector.app\\.kubernetes\\.io/component', 'gateway'],
      ['PodDisruptionBudget r-gatehouse-worker', 'spec.maxUnavailable', 1],
    ],
  },
  {
    what: 'the migration job runs before the release, with the database and nothing else of it',
    options: [...SEVERAL, '--set=migrationJob.enabled=true,env.A=1'],
    reads: [
      ['Job r-gatehouse-migrate', 'metadata.annotations.helm\\.sh/hook', 'pre-install,pre-upgrade'],
      ['Job r-gatehouse-migrate', `${POD}.containers.0.args`, ['migrate']],
      ['Job r-gatehouse-migrate', `${POD}.containers.0.env.1.name`, 'DATABASE_URL'],
      ['Job r-gatehouse-migrate', `${POD}.containers.0.env.2`, { name: 'A', value: '1' }],
      ['Job r-gatehouse-migrate', `${POD}.serviceAccountName`, 'default'],
      ['Job r-gatehouse-migrate', `${POD}.restartPolicy`, 'Never'],
    ],
  },
  {
    what: 'replicas without volumes are a Deployment that starts new ones first',
    options: [...SEVERAL, '--set=persistence.enabled=false,autoscaling.enabled=true,rollout.maxSurge=50%'],
    reads: [
      ['Deployment r-gatehouse', 'spec.strategy.rollingUpdate', { maxUnavailable: 1, maxSurge: '50%' }],
      ['Deployment r-gatehouse', 'spec.volumeClaimTemplates', undefined],
      ['HorizontalPodAutoscaler r-gatehouse', 'spec.scaleTargetRef.kind', 'Deployment'],
      ['StatefulSet r-gatehouse', 'kind', undefined],
    ],
  },
  {
    what: 'several replicas with volumes may be replaced at once',
    options: ['--set=rollout.maxUnavailable=30%'],
    reads: [['StatefulSet r-gatehouse', 'spec.updateStrategy.rollingUpdate.maxUnavailable', '30%']],
  },
  {
    what: 'gateways are scaled by running requests, workers by waiting jobs',
    options: [
      ...SEVERAL,
      '--set=autoscaling.enabled=true,autoscaling.targetCPUUtilizationPercentage=0,autoscaling.targetInFlight=200',
      '--set=worker.enabled=true,worker.autoscaling.enabled=true,worker.autoscaling.targetQueuedJobs=20',
    ],
    reads: [
      ['HorizontalPodAutoscaler r-gatehouse', 'spec.metrics.length', 1],
      ['HorizontalPodAutoscaler r-gatehouse', 'spec.metrics.0.pods.metric.name', 'gatehouse_in_flight'],
      ['HorizontalPodAutoscaler r-gatehouse', 'spec.metrics.0.pods.target.averageValue', '200'],
      ['HorizontalPodAutoscaler r-gatehouse-worker', 'spec.metrics.0.resource.name', 'cpu'],
      ['HorizontalPodAutoscaler r-gatehouse-worker', 'spec.metrics.1.external.metric.name', 'gatehouse_jobs'],
      ['HorizontalPodAutoscaler r-gatehouse-worker', 'spec.scaleTargetRef.name', 'r-gatehouse-worker'],
      ['StatefulSet r-gatehouse', 'spec.replicas', undefined],
      ['StatefulSet r-gatehouse-worker', 'spec.replicas', undefined],
    ],
  },
  {
    what: 'Prometheus finds the admin port of all pods, under the job that the alerts ask for',
    options: ['--set=metrics.serviceMonitor.enabled=true,tls.existingSecret=a'],
    reads: [
      ['Service r-gatehouse-metrics', 'spec.ports.0.targetPort', 'admin'],
      ['Service r-gatehouse-metrics', 'spec.selector.app\\.kubernetes\\.io/component', undefined],
      ['Service r-gatehouse-metrics', 'metadata.labels.app\\.kubernetes\\.io/component', 'metrics'],
      ['ServiceMonitor r-gatehouse', 'spec.selector.matchLabels.app\\.kubernetes\\.io/component', 'metrics'],
      ['ServiceMonitor r-gatehouse', 'spec.endpoints.0.scheme', 'https'],
      [
        'ServiceMonitor r-gatehouse',
        'spec.endpoints.0.relabelings.0',
        { targetLabel: 'job', replacement: 'gatehouse' },
      ],
    ],
  },
  {
    what: 'the alert rules keep their own templates, and one can be left out',
    options: ['--set=metrics.prometheusRule.enabled=true,metrics.prometheusRule.disabled[0]=GatehouseErrors'],
    reads: [
      ['PrometheusRule r-gatehouse', 'spec.groups.0.rules.0.alert', 'GatehouseDown'],
      ['PrometheusRule r-gatehouse', 'spec.groups.0.rules.1.alert', 'GatehouseProviderFailing'],
      [
        'PrometheusRule r-gatehouse',
        'spec.groups.0.rules.0.annotations.description',
        '{{ $labels.instance }} has not answered for a minute.',
      ],
    ],
  },
  {
    what: 'an HTTPRoute leads to the service',
    options: ['--set=httpRoute.enabled=true,httpRoute.parentRefs[0].name=public,service.port=80'],
    reads: [
      ['HTTPRoute r-gatehouse', 'spec.parentRefs', [{ name: 'public' }]],
      ['HTTPRoute r-gatehouse', 'spec.rules.0.backendRefs', [{ name: 'r-gatehouse', port: 80 }]],
      ['HTTPRoute r-gatehouse', 'spec.rules.0.timeouts.request', '610s'],
    ],
  },
  {
    what: 'volumes, sidecars and init containers are added to the own ones',
    options: [
      '--set=extraVolumes[0].name=x,extraVolumeMounts[0].name=x,extraVolumeMounts[0].mountPath=/x',
      '--set=sidecars[0].name=s,sidecars[0].image=s,initContainers[0].name=i,initContainers[0].image=i',
    ],
    reads: [
      ['StatefulSet r-gatehouse', `${POD}.containers.0.volumeMounts.2`, { name: 'x', mountPath: '/x' }],
      ['StatefulSet r-gatehouse', `${POD}.containers.1`, { name: 's', image: 's' }],
      ['StatefulSet r-gatehouse', `${POD}.initContainers`, [{ name: 'i', image: 'i' }]],
      ['StatefulSet r-gatehouse', `${POD}.volumes.1`, { name: 'x' }],
    ],
  },
]

export function checkOptions(report: Report, render: Render): void {
  for (const { what, options, reads } of EXPECTED) {
    const manifests = render(...options, '--set=fullnameOverride=r-gatehouse')
    const wrong = reads.filter(([name, path, expected]) => !isDeepStrictEqual(read(manifests, name, path), expected))
    report.line(
      `chart: ${what}`,
      manifests.length > 0 && wrong.length === 0,
      wrong.map(([n, p]) => `${n} ${p}`).join(', '),
    )
  }
}

function read(manifests: Manifest[], name: string, path: string): unknown {
  const nameOf = (manifest: Manifest) => `${manifest.kind} ${(manifest.metadata as { name: string }).name}`
  const steps = path.split(/(?<!\\)\./).map((step) => step.replaceAll('\\.', '.'))
  const manifest: unknown = manifests.find((one) => nameOf(one) === name)
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], manifest)
}
