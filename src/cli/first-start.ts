import type { Config } from '../config/config.ts'
import type { KeyContext } from '../access/keys.ts'
import { issueKey } from '../access/keys.ts'
import { START } from '../audit/author.ts'
import { kindsOfKeys } from '../store/keys.ts'
import { retryWhileUnavailable } from '../store/retry-while-unavailable.ts'

const STORE_RETRY_MS = 2_000

export type MadeKeys = { client?: string; admin?: string }

/** Retries while the store is unavailable: a start that has come this far need not begin again. */
export function firstKeys(config: Config, keyContext: KeyContext): Promise<MadeKeys> {
  return retryWhileUnavailable(() => createMissing(config, keyContext), {
    pauseMs: STORE_RETRY_MS,
    forMs: Number.POSITIVE_INFINITY,
  })
}

/**
 * Creates the first keys of an installation. No key is created if the environment provides one or if one was created
 * before.
 */
async function createMissing(
  { gatehouseApiKey, gatehouseAdminKey }: Config,
  keyContext: KeyContext,
): Promise<MadeKeys> {
  const kinds = await kindsOfKeys(keyContext.db)
  const context = { ...keyContext, author: START }
  const made: MadeKeys = {}
  if (!gatehouseApiKey && !kinds.has('live')) {
    made.client = (await issueKey({ name: 'first key', owner: 'default' }, context)).key
  }
  if (!gatehouseAdminKey && !kinds.has('admin')) {
    made.admin = (await issueKey({ name: 'first admin key', owner: 'default', kind: 'admin' }, context)).key
  }
  return made
}
