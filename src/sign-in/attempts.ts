import { hash } from 'node:crypto'
import { networkOf } from '../access/client-network.ts'
import { problem } from '../contract/problems.ts'
import type { Database } from '../store/database.ts'
import { type AttemptLimit, countAttempt, forgetAttempts, giveBackAttempt } from '../store/people/sign-in-limits.ts'

const PER_ADDRESS: AttemptLimit = { burst: 30, everyMs: 10_000 }
const PER_ACCOUNT: AttemptLimit = { burst: 10, everyMs: 60_000 }
const RETRY_AFTER_SECONDS = 60

/** Counts an attempt to sign in, or to use a link, for the network that it comes from. Throws if there were too many. */
export async function countForAddress(db: Database, ip: string): Promise<void> {
  if (!(await countAttempt(db, addressName(ip), PER_ADDRESS))) throw tooMany()
}

/** The same for the account, whether it exists or not. */
export async function countForAccount(db: Database, email: string): Promise<void> {
  if (!(await countAttempt(db, accountName(email), PER_ACCOUNT))) throw tooMany()
}

/** After a success: earlier failures of the account are forgotten, those of the address are not. */
export async function countSuccess(db: Database, email: string, ip: string): Promise<void> {
  await forgetAttempts(db, accountName(email))
  await giveBackToAddress(db, ip)
}

/** After a success that named no account. */
export async function giveBackToAddress(db: Database, ip: string): Promise<void> {
  await giveBackAttempt(db, addressName(ip), PER_ADDRESS)
}

function addressName(ip: string): string {
  return `address:${networkOf({ clientAddress: ip })}`
}

/** A digest, because people type their passwords into the wrong field. */
function accountName(email: string): string {
  return `account:${hash('sha256', email)}`
}

function tooMany() {
  const message = 'There were too many attempts to sign in. Try again in a minute.'
  return problem('rate_limited', { message, retryAfterSeconds: RETRY_AFTER_SECONDS })
}
