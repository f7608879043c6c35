import { networkOf } from '../access/client-network.ts'
import type { AcceptInvitationRequest } from '../../contract/admin/members.ts'
import { problem } from '../../contract/problems.ts'
import type { Actor } from '../people/actor.ts'
import { checkName, invalid } from '../people/people-services.ts'
import { digestOfSecret } from '../people/secret.ts'
import type { Statement } from '../../platform/store/database.ts'
import { findAccountLink } from '../../platform/store/people/account-links.ts'
import { findInvitation, invitationUse, type StoredInvitation } from '../../platform/store/people/invitations.ts'
import { memberInsertion } from '../../platform/store/people/members.ts'
import { sessionsEnd } from '../../platform/store/people/sessions.ts'
import { findUserByEmail, type NewUser, userInsertion } from '../../platform/store/people/users.ts'
import { countForAddress, giveBackToAddress } from './attempts.ts'
import { openAccount } from './open-account.ts'
import { type HashingServices, hashPassword } from './password-hash.ts'
import { type OpenedSession, openSession, type SessionServices, type SignInOrigin } from './sessions.ts'
import { demandPasswords, type PasswordRule } from './sso-only.ts'
import { isStillInvited } from './still-invited.ts'

/**
 * A new person gets an account with the invited address. A person who has an account has to be signed in to it: the maker of
 * the invitation knows its token too, and must not get into the account with it.
 */
export async function acceptInvitation(
  request: AcceptInvitationRequest,
  { actor, origin }: { actor: Actor | undefined; origin: SignInOrigin },
  services: SessionServices & PasswordRule & HashingServices,
): Promise<OpenedSession> {
  await countForAddress(services.db, origin.ip)
  const opened = await accept(request, { actor, origin }, services)
  // A company may sit behind one address.
  await giveBackToAddress(services.db, origin.ip)
  return opened
}

async function accept(
  request: AcceptInvitationRequest,
  { actor, origin }: { actor: Actor | undefined; origin: SignInOrigin },
  services: SessionServices & PasswordRule & HashingServices,
): Promise<OpenedSession> {
  const { db, now } = services
  const digest = digestOfSecret(request.token)
  const link = await findAccountLink(db, digest, now())
  if (link) return (await openAccount(link, { request, origin }, services)) ?? refuse()
  const invitation = await findInvitation(db, digest, now())
  if (!invitation?.email || !(await isStillInvited(invitation, services))) throw noInvitation()
  const existing = await findUserByEmail(db, invitation.email)
  if (existing && (actor?.kind !== 'user' || actor.id !== existing.id)) throw signInFirst()
  const user = existing ?? (await newUser(request, invitation, origin, services))
  const account = existing ? [sessionsEnd(existing.id)] : [userInsertion(user)]
  const changes = [invitationUse(invitation.id, user.id, now()), ...account, membership(user.id, invitation, services)]
  const { role, project } = invitation
  const events = [{ action: 'invitation.accept', object: `invitation:${invitation.id}`, after: { role, project } }]
  const opened = await openSession(user, { via: 'invitation', origin, changes, events }, services)
  if (!opened) throw noInvitation()
  return opened
}

async function newUser(
  { name, password }: AcceptInvitationRequest,
  { organization, email }: StoredInvitation,
  { ip }: SignInOrigin,
  services: SessionServices & PasswordRule & HashingServices,
): Promise<NewUser> {
  if (name === undefined) throw invalid('name', 'A new account needs a name')
  checkName(name, email)
  if (password === undefined) throw invalid('password', 'A new account needs a password')
  await demandPasswords(services)
  const hash = await hashPassword(password, networkOf({ clientAddress: ip }), { cost: services.passwordCost })
  return { id: services.newId(), organization, email, name, kind: 'person', password: hash }
}

function membership(
  userId: string,
  { organization, project, role }: StoredInvitation,
  { newId }: SessionServices,
): Statement {
  return memberInsertion({ id: newId(), organization, project, userId, role, source: 'manual' })
}

function refuse(): never {
  throw noInvitation()
}

function noInvitation() {
  const message =
    'This invitation is not valid: it was used or withdrawn, it has expired, or you already have a role there.'
  return problem('conflict', { message })
}

function signInFirst() {
  const message = 'There is an account with the invited address. Sign in with it, and open the invitation again.'
  return problem('conflict', { message })
}
