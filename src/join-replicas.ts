import type { Logger } from 'pino'
import type { AppContext } from './app/context.ts'
import { blobPlace } from './blobs/blob-place.ts'
import { nameOfPlace } from './replicas/blob-check.ts'
import { openLearner } from './replicas/learned.ts'
import { warnOfMissingBlobs } from './replicas/missing-blobs.ts'
import { Replica } from './replicas/replica.ts'
import type { WebhookKeys } from './webhooks/webhook-keys.ts'

type Needs = { context: AppContext; role: string; webhookKeys: WebhookKeys; log: Logger }

/** Registers this process at the store, unless it must not run beside those that are registered. */
export async function joinReplicas({ context, role, webhookKeys, log }: Needs) {
  const { db, config, circuits, observations, links, files } = context
  const blobs = nameOfPlace(await blobPlace(config.dataDir, config.blobUrl))
  const learner = openLearner({ config, circuits, observations, secret: links.secret })
  const process = { id: context.processName, role, blobs }
  const replica = await Replica.join({ db, log, process, webhookKeys, learner })
  const closing = new AbortController()
  let counted: Promise<void> | undefined
  return { peers: () => replica.peers, start, close }

  /** From now on, this process keeps in touch with the others. */
  function start() {
    replica.start()
    counted = warnOfMissingBlobs({ db, blobs: files.blobs, place: blobs, log }, closing.signal).catch((error) =>
      log.warn({ error: String(error) }, 'stored files could not be counted'),
    )
  }

  async function close() {
    closing.abort()
    await Promise.all([counted, replica.close()])
  }
}
