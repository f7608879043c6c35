import { hash } from 'node:crypto'
import { networkOf } from '../access/client-network.ts'
import { problem } from '../../contract/problems.ts'
import type { Database, Statement } from '../../platform/store/database.ts'
import {
  type AttemptLimit,
  countAttempt,
  forgetAllAttempts,
  forgetAttempts,
  giveBackAttempt,
  isRemembered,
  remember,
} from '../../platform/store/people/sign-in-limits.ts'
import { DAY_MS } from '../../base/units/units.ts'

// Attempts are counted for the network that they come from, for an account in that network, and for an account everywhere.
// The second limit is the narrow one, so that an attacker in one network cannot lock a person out who signs in from another. The
// third one bounds guessing from many networks; it does not hold where the person has signed in before.

const PER_ADDRESS: AttemptLimit = { burst: 30, everyMs: 10_000 }
const PER_ACCOUNT_AND_ADDRESS: AttemptLimit = { burst: 10, everyMs: 60_000 }
/** Wider than what one network can use up: that needs a hundred attempts at once, or more than four networks for good. */
const PER_ACCOUNT: AttemptLimit = { burst: 100, everyMs: 15_000 }
/** Starts of sign-ins by terminals: a company may sit behind one address. */
const PER_TERMINAL_ADDRESS: AttemptLimit = { burst: 60, everyMs: 5_000 }
/** Codes that a person has typed. Guessing one of 25 billion within its ten minutes is hopeless at this pace. */
const PER_TYPED_CODE: AttemptLimit = { burst: 10, everyMs: 60_000 }
/** A token is renewed every few hours, by some terminals at once. */
const PER_RENEWAL: AttemptLimit = { burst: 10, everyMs: 300_000 }
const KNOWN_FOR_MS = 30 * DAY_MS
const RETRY_AFTER_SECONDS = 60

/** Counts an attempt to sign in, or to use a link, for the network that it comes from. Throws if there were too many. */
export async function countForAddress(db: Database, ip: string): Promise<void> {
  if (!(await countAttempt(db, addressName(ip), PER_ADDRESS))) throw tooMany()
}

/** Counts a sign-in that a terminal begins. */
export async function countStart(db: Database, ip: string): Promise<void> {
  if (!(await countAttempt(db, `terminal:${networkOf({ clientAddress: ip })}`, PER_TERMINAL_ADDRESS))) throw tooMany()
}

/** Counts a code that a person types, for the session on the page and for the network. Right ones are given back. */
export async function countCode(db: Database, session: string, ip: string): Promise<void> {
  await countForAddress(db, ip)
  if (!(await countAttempt(db, codeName(session), PER_TYPED_CODE))) throw tooMany()
}

export async function giveBackCode(db: Database, session: string, ip: string): Promise<void> {
  await giveBackToAddress(db, ip)
  await giveBackAttempt(db, codeName(session), PER_TYPED_CODE)
}

/** Whether the session of a coding agent may be renewed once more now. */
export function mayRenew(db: Database, session: string): Promise<boolean> {
  return countAttempt(db, `renewal:${session}`, PER_RENEWAL)
}

function codeName(session: string): string {
  return `code:${session}`
}

/** `isFree`: attempts from other networks do not count, because the password was just set on the machine itself. */
type AccountAttempt = { email: string; ip: string; isFree?: boolean }

/** The same for the account, whether it exists or not. */
export async function countForAccount(db: Database, { email, ip, isFree = false }: AccountAttempt): Promise<void> {
  if (!(await countAttempt(db, accountName(email, ip), PER_ACCOUNT_AND_ADDRESS))) throw tooMany()
  if (isFree || (await isRemembered(db, knownName(email, ip)))) return
  if (!(await countAttempt(db, accountName(email), PER_ACCOUNT))) throw tooMany()
}

/** After a success: earlier failures of the account from this network are forgotten, those of the network are not. */
export async function countSuccess(db: Database, { email, ip }: AccountAttempt): Promise<void> {
  await forgetAttempts(db, accountName(email, ip))
  await remember(db, knownName(email, ip), KNOWN_FOR_MS)
  await giveBackToAddress(db, ip)
}

/** After a success that named no account. */
export async function giveBackToAddress(db: Database, ip: string): Promise<void> {
  await giveBackAttempt(db, addressName(ip), PER_ADDRESS)
}

/** For a new password that was set on the machine itself. The networks that were known may belong to a thief of the old one. */
export function attemptsEnd(email: string): Statement[] {
  return [forgetAllAttempts(accountName(email)), forgetAllAttempts(knownName(email))]
}

function addressName(ip: string): string {
  return `address:${networkOf({ clientAddress: ip })}`
}

/** A digest, because people type their passwords into the wrong field. */
function accountName(email: string, ip?: string): string {
  return `account:${hash('sha256', email)}${inNetwork(ip)}`
}

/** Where the person has signed in before. */
function knownName(email: string, ip?: string): string {
  return `known:${hash('sha256', email)}${inNetwork(ip)}`
}

function inNetwork(ip: string | undefined): string {
  return ip === undefined ? '' : `:${networkOf({ clientAddress: ip })}`
}

function tooMany() {
  const message = 'There were too many attempts to sign in. Try again in a minute.'
  return problem('rate_limited', { message, retryAfterSeconds: RETRY_AFTER_SECONDS })
}
