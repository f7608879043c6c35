import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { KeyContext } from '../access/keys.ts'
import { issueKey } from '../access/keys.ts'
import { type Gateway, openGateway, type Overrides } from '../gateway.ts'
import { StoreDamaged, StoreUnavailable } from '../store/database.ts'
import { kindsOfKeys } from '../store/keys.ts'
import type { Log } from './log.ts'

const STORE_RETRY_MS = 2_000

export type MadeKeys = { client?: string; admin?: string }

/** Waits for a database that is not up yet: in a cluster everything starts at once, in any order. */
export async function openWhenReachable(config: Config, log: Log, overrides?: Overrides): Promise<Gateway> {
  for (;;) {
    try {
      return await openGateway(config, log, overrides)
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || error instanceof StoreDamaged) throw error
      log.warn({ reason: error.message }, 'the database is not reachable; trying again')
      await sleepUnlessStopped(STORE_RETRY_MS)
    }
  }
}

/** Nothing is running yet, so a signal takes effect at once. */
async function sleepUnlessStopped(ms: number): Promise<void> {
  const leave = () => process.exit(0)
  process.once('SIGTERM', leave).once('SIGINT', leave)
  await sleep(ms)
  process.off('SIGTERM', leave).off('SIGINT', leave)
}

/**
 * Creates the first keys of an installation. No key is created if the environment provides one or if one was created
 * before.
 */
export async function firstKeys(
  { gatehouseApiKey, gatehouseAdminKey }: Config,
  keyContext: KeyContext,
): Promise<MadeKeys> {
  const kinds = await kindsOfKeys(keyContext.db)
  const made: MadeKeys = {}
  if (!gatehouseApiKey && !kinds.has('live')) {
    made.client = (await issueKey({ name: 'first key', owner: 'default' }, keyContext)).key
  }
  if (!gatehouseAdminKey && !kinds.has('admin')) {
    made.admin = (await issueKey({ name: 'first admin key', owner: 'default', kind: 'admin' }, keyContext)).key
  }
  return made
}
