import { type Config, loadConfig } from '../../platform/config/config.ts'
import { Problem } from '../../contract/problems.ts'
import { openStore } from '../../server/open-store.ts'
import { type Actor, CLI_ACTOR } from '../../tenants/people/actor.ts'
import type { Database } from '../../platform/store/database.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'

export type LimitsOfStore = { db: Database; now(): number; config: Config; actor: Actor }

/**
 * Looks at the limits of the store and of the config file. What the admin API would refuse is reported as a mistake on the
 * command line.
 */
export async function withLimits(
  { environment }: Terminal,
  work: (limits: LimitsOfStore) => Promise<void>,
): Promise<number> {
  const config = loadConfig(environment)
  const db = await openStore(config)
  try {
    await work({ db, now: Date.now, config, actor: CLI_ACTOR })
    return 0
  } catch (error) {
    throw error instanceof Problem ? new UsageError(sentenceOf(error)) : error
  } finally {
    await db.close()
  }
}

function sentenceOf({ code, message }: Problem): string {
  return code === 'not_found' ? `${message} \`gatehouse budgets list\` shows all limits.` : message
}
