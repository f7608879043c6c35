import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { openBlobs } from '../platform/blobs/open-blobs.ts'
import type { Config } from '../platform/config/config.ts'
import { cloudIdentity } from '../platform/config/credentials/cloud-identity.ts'
import { DEFAULT_TIMEOUTS } from '../platform/config/timeouts.ts'
import { openEnginePool } from '../translation/engines/pool/engine-pool.ts'
import type { Health } from '../http/health.ts'
import { AccessTokens } from '../platform/net/identity/access-tokens.ts'
import type { Egress } from '../platform/net/egress/guarded-fetch.ts'
import { memoryPlanOf } from './memory-plan.ts'
import type { OpenNetwork } from './network.ts'
import { openKeysOnDisk } from './open-keys.ts'
import type { WithStore } from './open-with-store.ts'
import { limitTokenCounter } from '../endpoints/tokens/count-offline.ts'

export type Parts = Awaited<ReturnType<typeof openParts>> & { health: Health; egress: Egress; late: WithStore }

/** Opens what takes a moment and does not need the store: blobs, the egress guard, keys on disk, engines. */
export async function openParts(config: Config, network: OpenNetwork, log: Logger, engineLimitMs?: number) {
  const { send } = network.upstream
  const listeners: FastifyInstance[] = []
  const blobs = await openBlobs({
    dataDir: config.dataDir,
    blobUrl: config.blobUrl,
    credentials: awsCredentials(config, network),
    send: (request, { signal, owner }) => send(request, { signal, timeouts: DEFAULT_TIMEOUTS, owner }),
  })
  const memoryPlan = memoryPlanOf(config)
  limitTokenCounter(memoryPlan.tokenCounterBytes)
  const ownListeners = () => listeners.flatMap((app) => app.addresses())
  return {
    listeners,
    ownListeners,
    blobs,
    openEgress: (active: Config) => network.openEgress(active, ownListeners),
    keysOnDisk: await openKeysOnDisk(config, log),
    memoryPlan,
    engines: openEnginePool({ ...memoryPlan.engines, ...(engineLimitMs && { limitMs: engineLimitMs }) }),
  }
}

/** The keys for S3: those of the settings, or those of the identity that the cloud gives this process. */
function awsCredentials(config: Config, { upstream, direct }: OpenNetwork) {
  const { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey, awsSessionToken: sessionToken } = config
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey, sessionToken }
  const identity = cloudIdentity('aws', config.source.environment, false)?.awsIdentity
  if (!identity) return undefined
  const clocks = { now: Date.now, monotonic: () => performance.now() }
  const tokens = new AccessTokens({ send: upstream.send, sendDirectly: direct.send }, clocks)
  return () => tokens.awsKeysFor(identity)
}
