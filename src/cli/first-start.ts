import type { Config } from '../platform/config/config.ts'
import type { KeyServices } from '../tenants/access/keys.ts'
import { issueKey } from '../tenants/access/keys.ts'
import { START } from '../tenants/audit/author.ts'
import { newSetupToken } from '../tenants/sign-in/setup.ts'
import { kindsOfKeys } from '../platform/store/keys/keys.ts'
import { retryWhileUnavailable } from '../platform/store/retry-while-unavailable.ts'

const STORE_RETRY_MS = 2_000

export type MadeKeys = { client?: string; admin?: string }

/**
 * What a start makes and shows: the first keys, and a link for the first owner as long as there is none. Retries while the
 * store is unavailable: a start that has come this far need not begin again.
 */
export async function firstStart(config: Config, services: KeyServices) {
  const made = await patiently(() => createMissing(config, services))
  return { made, setupToken: await patiently(() => newSetupToken(services)) }
}

function patiently<T>(work: () => Promise<T>): Promise<T> {
  return retryWhileUnavailable(work, { pauseMs: STORE_RETRY_MS, forMs: Number.POSITIVE_INFINITY })
}

/**
 * Creates the first keys of an installation. No key is created if the environment provides one or if one was created
 * before.
 */
async function createMissing(
  { gatehouseApiKey, gatehouseAdminKey }: Config,
  keyServices: KeyServices,
): Promise<MadeKeys> {
  const kinds = await kindsOfKeys(keyServices.db)
  const services = { ...keyServices, author: START }
  const made: MadeKeys = {}
  if (!gatehouseApiKey && !kinds.has('live')) {
    made.client = (await issueKey({ name: 'first key', owner: 'default' }, services)).key
  }
  if (!gatehouseAdminKey && !kinds.has('admin')) {
    made.admin = (await issueKey({ name: 'first admin key', owner: 'default', kind: 'admin' }, services)).key
  }
  return made
}
