import { networkOf } from '../access/client-network.ts'
import type { Author } from '../audit/author.ts'
import { writeAuditEvents } from '../audit/audited.ts'
import type { SignInRequest } from '../../contract/admin/own-account.ts'
import { problem } from '../../contract/problems.ts'
import { plainEmail } from '../people/people-services.ts'
import { newSecret } from '../people/secret.ts'
import { findUserByEmail, type StoredUser } from '../../platform/store/people/users.ts'
import { hasPasswordPass } from '../../platform/store/sign-in/password-passes.ts'
import { countForAccount, countForAddress, countSuccess } from './attempts.ts'
import { type HashingServices, hashPassword, isPassword, type PasswordCost } from './password-hash.ts'
import { type OpenedSession, openSession, type SessionServices, type SignInOrigin } from './sessions.ts'
import { arePasswordsOff, type PasswordRule, passwordsAreOff } from './sso-only.ts'

/**
 * Whether the account exists or not, whether it has a password or not: the work and the answer are the same. So they are for a
 * right and a wrong password where only providers may be used.
 */
export async function signIn(
  request: SignInRequest,
  origin: SignInOrigin,
  services: SessionServices & PasswordRule & HashingServices,
): Promise<OpenedSession> {
  const { db, now } = services
  const email = plainEmail(request.email)
  await countForAddress(db, origin.ip)
  const user = await findUserByEmail(db, email)
  const isFree = await hasPasswordPass(db, user?.id ?? '', now())
  const attempt = { email, ip: origin.ip, isFree }
  await countForAccount(db, attempt)
  const isAccepted = isFree || !(await arePasswordsOff(services))
  const isRight = await hasPassword(user, request.password, origin, services)
  const opened =
    user && isRight && isAccepted ? await openSession(user, { via: 'password', origin }, services) : undefined
  if (!opened) throw await failed(user, origin, services)
  await countSuccess(db, attempt)
  return opened
}

/** The password is compared with some hash in any case. */
async function hasPassword(
  user: StoredUser | undefined,
  password: string,
  { ip }: SignInOrigin,
  { passwordCost }: HashingServices,
): Promise<boolean> {
  const network = networkOf({ clientAddress: ip })
  const isRight = await isPassword(password, user?.password ?? (await decoyHash(passwordCost)), network)
  return isRight && user !== undefined && user.password !== null && user.kind === 'person' && user.disabledAt === null
}

let decoy: Promise<string> | undefined

/** A hash of a random password, which takes as long to check as the hash of an account. */
function decoyHash(cost: PasswordCost): Promise<string> {
  decoy ??= hashPassword(newSecret().secret, '', { cost })
  return decoy
}

async function failed(user: StoredUser | undefined, origin: SignInOrigin, services: SessionServices & PasswordRule) {
  const author: Author = { actor: 'anonymous', via: 'password', ip: origin.ip, request: origin.request }
  // What was typed as an e-mail address may be a password.
  await writeAuditEvents(services.db, author, {
    action: 'sign_in.fail',
    object: user ? `user:${user.id}` : 'user:unknown',
  })
  return (await arePasswordsOff(services)) ? passwordsAreOff() : problem('sign_in_failed')
}
