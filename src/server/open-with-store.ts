import type { Logger } from 'pino'
import type { ReloadableServices } from './active-services.ts'
import { CatalogUpdates } from './catalog-updates.ts'
import { openTestDeliveries, type SendTest } from '../jobs/webhooks/test-delivery.ts'
import { type BackgroundTiming, openBackground, postThrough } from './background.ts'
import { openLinkSecret } from '../calls/files/link-secret.ts'
import { joinReplicas } from './join-replicas.ts'
import type { Lines } from '../jobs/batches/ask-line.ts'
import type { Configuration } from './configuration.ts'
import type { LateStore } from './open-store.ts'
import { openSecrets, type Secrets } from '../platform/secrets/secrets.ts'
import { Late } from '../platform/late.ts'
import { StoredConfigWatch } from './stored-config.ts'
import { openWebhookKeys, type WebhookKeys } from '../jobs/webhooks/webhook-keys.ts'

/** What can be opened only when the store has been reached. */
export type WithStore = ReturnType<typeof notOpenYet>

export function notOpenYet() {
  return {
    secrets: new Late<Secrets>(),
    storedConfig: new Late<StoredConfigWatch>(),
    catalogUpdates: new Late<CatalogUpdates>(),
    webhookKeys: new Late<WebhookKeys>(),
    /** Known to all processes that share the store. */
    linkSecret: new Late<string>(),
    replica: new Late<Awaited<ReturnType<typeof joinReplicas>>>(),
    background: new Late<ReturnType<typeof openBackground>>(),
    sendTest: new Late<SendTest>(),
  }
}

type Needs = {
  store: LateStore
  active: ReloadableServices
  configuration: Configuration
  role?: string | undefined
  lines: Lines
  requestsInFlight(): number
  log: Logger
  timing: BackgroundTiming & { lookMs?: number }
}

/** Opens what is missing. It is called again if the store goes away meanwhile. */
export async function openWithStore(late: WithStore, needs: Needs): Promise<void> {
  const { store, active, configuration, role, lines, requestsInFlight, log, timing } = needs
  await store.open()
  const { calls, tenants, money } = active.current
  const { config, now, spendLimits, contents } = calls
  const { db } = store
  const secrets = await late.secrets.open(() => openSecrets(db, config))
  const webhookKeys = await late.webhookKeys.open(() => openWebhookKeys(secrets, config))
  const secret = await late.linkSecret.open(() => openLinkSecret(secrets))
  const watch = { db, secrets, configuration, log, now, lookMs: timing.lookMs }
  const storedConfig = await late.storedConfig.open(() => new StoredConfigWatch(watch))
  await storedConfig.refresh()
  const replica = await late.replica.open(() => joinReplicas({ active, role: role ?? 'all', webhookKeys, secret, log }))
  await replica.tell(configuration.report())
  await tenants.keyCache.open()
  await tenants.refreshAliases()
  await money.refreshLimits()
  await tenants.refreshGuardrails()
  spendLimits.shares.open()
  await contents.open()
  const egress = () => active.egress
  const signer = () => webhookKeys.current.signer
  await late.sendTest.open(() => openTestDeliveries({ post: postThrough(egress), signer, now }))
  if (role !== 'api')
    await late.background.open(() =>
      openBackground({ active, db, egress, webhookKeys, lines, requestsInFlight, log }, timing),
    )
  replica.start()
  storedConfig.start()
  await late.catalogUpdates.open(() => new CatalogUpdates({ active, log, roundMs: timing.lookMs }))
}
