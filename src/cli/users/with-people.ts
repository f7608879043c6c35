import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { CLI } from '../../tenants/audit/author.ts'
import { loadConfig } from '../../platform/config/config.ts'
import { Problem } from '../../contract/problems.ts'
import { openStore } from '../../server/open-store.ts'
import { CLI_ACTOR } from '../../tenants/people/actor.ts'
import type { PeopleServices } from '../../tenants/people/people-services.ts'
import { randomPassword } from '../../tenants/sign-in/manage-passwords.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'

/**
 * Does something with people in the store, with the rights of an owner: a user who can run commands on this machine can read
 * the store anyway.
 */
export async function withPeople(
  { environment }: Terminal,
  work: (people: PeopleServices) => Promise<void>,
): Promise<number> {
  const db = await openStore(loadConfig(environment))
  try {
    await work({ db, now: Date.now, newId: randomUUID, actor: CLI_ACTOR, author: CLI })
    return 0
  } catch (error) {
    throw error instanceof Problem ? new UsageError(sentenceOf(error)) : error
  } finally {
    await db.close()
  }
}

/** The admin API names the field of its body. Here a flag has set the field. */
function sentenceOf({ code, message, details: { detail: [issue] = [] } }: Problem): string {
  if (issue) return `--${issue.loc[1] === 'password' ? 'password-stdin' : issue.loc[1]}: ${issue.msg}.`
  return code === 'not_found' ? `${message} \`gatehouse users list\` shows all users.` : message
}

/** The password from standard input, or a random one, which has to be shown then. */
export function passwordFrom(isPiped: boolean | undefined): { password: string; isRandom: boolean } {
  if (!isPiped) return { password: randomPassword(), isRandom: true }
  return { password: readFileSync(0, 'utf8').replace(/\r?\n$/, ''), isRandom: false }
}
