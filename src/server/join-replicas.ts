import type { Logger } from 'pino'
import { blobLocation } from '../platform/blobs/blob-location.ts'
import type { ProcessReport } from '../platform/config/report/config-report.ts'
import type { ActiveServices } from '../http/services.ts'
import { nameOfLocation } from './replicas/blob-check.ts'
import { Learner } from './replicas/learned.ts'
import { warnOfMissingBlobs } from './replicas/missing-blobs.ts'
import { Replica } from './replicas/replica.ts'
import { tellConfig, toldConfigs } from './replicas/shared-config.ts'
import type { WebhookKeys } from '../jobs/webhooks/webhook-keys.ts'

type Needs = { active: ActiveServices; role: string; webhookKeys: WebhookKeys; secret: string; log: Logger }

/** Registers this process at the store, unless it must not run beside those that are registered. */
export async function joinReplicas({ active, role, webhookKeys, secret, log }: Needs) {
  const { calls, tenants, money, operations } = active.current
  const { db, config, circuits, observations, files, ledger } = calls
  const { processName } = operations
  const blobs = nameOfLocation(await blobLocation(config.dataDir, config.blobUrl))
  const learner = new Learner({
    providers: () => active.current.calls.config.providers,
    circuits,
    observations,
    secret,
  })
  const process = { id: processName, role, blobs }
  const replica = await Replica.join({
    db,
    log,
    process,
    webhookKeys,
    learner,
    ledgerWaiting: () => ledger.waiting,
    refreshAliases: tenants.refreshAliases,
    refreshLimits: money.refreshLimits,
    refreshGuardrails: tenants.refreshGuardrails,
  })
  const closing = new AbortController()
  let counted: Promise<void> | undefined
  const peers = () => replica.peers
  const configs = () =>
    toldConfigs(
      db,
      peers().map(({ id }) => id),
    )
  return { peers, configs, tell, start, close }

  /** Best effort: without the store, operators do not see this process among the others. */
  async function tell(report: ProcessReport) {
    const failed = (error: unknown) =>
      log.warn({ error: String(error) }, 'the configuration could not be told to others')
    await tellConfig(db, processName, report).catch(failed)
  }

  /** From now on, this process keeps in touch with the others. */
  function start() {
    if (counted) return
    replica.start()
    counted = warnOfMissingBlobs({ db, blobs: files.blobs, location: blobs, log }, closing.signal).catch((error) =>
      log.warn({ error: String(error) }, 'stored files could not be counted'),
    )
  }

  async function close() {
    closing.abort()
    await Promise.all([counted, replica.close()])
  }
}
