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

/** A database that is not there yet is waited for: in a fleet everything starts at once, in any order. */
export async function openPatiently(config: Config, log: Log, overrides?: Overrides): Promise<Gateway> {
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

/** Nothing runs yet that would have to be ended: a signal is obeyed at once. */
async function sleepUnlessStopped(ms: number): Promise<void> {
  const leave = () => process.exit(0)
  process.once('SIGTERM', leave).once('SIGINT', leave)
  await sleep(ms)
  process.off('SIGTERM', leave).off('SIGINT', leave)
}

/** What an installation has from its first start on. Where the environment brings a key, or one was made before, none is made. */
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
