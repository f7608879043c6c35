import { randomUUID } from 'node:crypto'
import { type Config, loadConfig } from '../../platform/config/config.ts'
import { Problem } from '../../contract/problems.ts'
import type { KeyAuthor, KeyServices } from '../../tenants/access/keys.ts'
import { CLI } from '../../tenants/audit/author.ts'
import { openStore } from '../../server/open-store.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { flagOf } from './key-flags.ts'

/** Does something with the keys in the store. What the admin API would refuse is a mistake of the person who typed it. */
export async function withKeys(
  { environment }: Terminal,
  work: (services: KeyServices & KeyAuthor & { config: Config }) => Promise<void>,
): Promise<number> {
  const config = loadConfig(environment)
  const db = await openStore(config)
  try {
    await work({ db, now: Date.now, newId: randomUUID, config, author: CLI })
    return 0
  } catch (error) {
    throw error instanceof Problem ? new UsageError(sentenceOf(error)) : error
  } finally {
    await db.close()
  }
}

/** The admin API names the field of its body. Here a flag has set the field. */
function sentenceOf({ code, message, details: { detail: [issue] = [] } }: Problem): string {
  if (issue) return `${flagOf(issue.loc[1])}: ${issue.msg}`
  return code === 'not_found' ? `${message} \`gatehouse keys list\` shows the ids of all keys.` : message
}
