import type { Logger } from 'pino'
import type { ActiveContext } from './active-context.ts'
import { CatalogUpdates } from './catalog-updates.ts'
import { openTestDeliveries, type SendTest } from './webhooks/test-delivery.ts'
import { type BackgroundTiming, openBackground, postThrough } from './background.ts'
import { openLinkSecret } from './files/link-secret.ts'
import { joinReplicas } from './join-replicas.ts'
import type { Configuration } from './configuration.ts'
import type { LateStore } from './open-store.ts'
import { openSecrets, type Secrets } from './secrets/secrets.ts'
import { StoredConfigWatch } from './stored-config.ts'
import { openWebhookKeys, type WebhookKeys } from './webhooks/webhook-keys.ts'

/** What can be opened only when the store has been reached. Until then, its members are undefined. */
export type WithStore = {
  secrets?: Secrets
  storedConfig?: StoredConfigWatch
  catalogUpdates?: CatalogUpdates
  webhookKeys?: WebhookKeys
  /** Known to all processes that share the store. */
  linkSecret?: string
  replica?: Awaited<ReturnType<typeof joinReplicas>>
  background?: ReturnType<typeof openBackground>
  sendTest?: SendTest
}

type Needs = {
  store: LateStore
  active: ActiveContext
  configuration: Configuration
  role?: string | undefined
  log: Logger
  timing: BackgroundTiming & { lookMs?: number }
}

/** Fills in what is missing. It is called again if the store goes away meanwhile. */
export async function openWithStore(opened: WithStore, needs: Needs): Promise<void> {
  const { store, active, configuration, role, log, timing } = needs
  await store.open()
  const { config, keyCache, now } = active.current
  const { db } = store
  const secrets = await openSecrets(db, config)
  const webhookKeys = opened.webhookKeys ?? (await openWebhookKeys(secrets, config))
  const secret = opened.linkSecret ?? (await openLinkSecret(secrets))
  Object.assign(opened, { secrets, webhookKeys, linkSecret: secret })
  opened.storedConfig ??= new StoredConfigWatch({ db, secrets, configuration, log, now, lookMs: timing.lookMs })
  await opened.storedConfig.refresh()
  opened.replica ??= await joinReplicas({ active, role: role ?? 'all', webhookKeys, secret, log })
  await opened.replica.tell(configuration.report())
  await keyCache.open()
  await active.current.refreshAliases()
  await active.current.refreshLimits()
  active.current.spendLimits.shares.open()
  await active.current.contents.open()
  opened.sendTest ??= openTestDeliveries({
    post: postThrough(() => active.egress),
    signer: () => webhookKeys.current.signer,
    now,
  })
  if (role !== 'api')
    opened.background ??= openBackground({ active, db, egress: () => active.egress, webhookKeys, log }, timing)
  opened.replica.start()
  opened.storedConfig.start()
  opened.catalogUpdates ??= new CatalogUpdates({ active, log, roundMs: timing.lookMs })
}
