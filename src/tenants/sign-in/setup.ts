import { networkOf } from '../access/client-network.ts'
import { START } from '../audit/author.ts'
import { audited } from '../audit/audited.ts'
import type { SetupRequest } from '../../contract/admin/own-account.ts'
import { problem } from '../../contract/problems.ts'
import { DEFAULT_ORGANIZATION } from '../../platform/store/people/reach.ts'
import { readEmail } from '../people/people-services.ts'
import { digestOfSecret, newSecret } from '../people/secret.ts'
import {
  expiredSetupLinks,
  findInvitation,
  invitationInsertion,
  invitationUse,
} from '../../platform/store/people/invitations.ts'
import { hasOwner, memberInsertion, NO_OWNER } from '../../platform/store/people/members.ts'
import { findUserByEmail, userInsertion } from '../../platform/store/people/users.ts'
import { countForAddress } from './attempts.ts'
import { type HashingServices, hashPassword } from './password-hash.ts'
import { type OpenedSession, openSession, type SessionServices, type SignInOrigin } from './sessions.ts'
import { HOUR_MS } from '../../base/units/units.ts'

// The first owner. As long as no owner can sign in, every start prints a link that can be used once, for an hour. People who come
// in through a provider before may be members only, and do not end it.

/** The token of a new link; undefined if there is an owner already. */
export async function newSetupToken({ db, now, newId }: SessionServices): Promise<string | undefined> {
  if (await hasOwner(db)) return undefined
  const { secret, digest } = newSecret()
  const at = now()
  const link = {
    id: newId(),
    digest,
    organization: DEFAULT_ORGANIZATION,
    project: null,
    role: 'owner',
    email: null,
    invitedBy: START.actor,
    createdAt: at,
    expiresAt: at + HOUR_MS,
  }
  const event = { action: 'setup.link', object: `invitation:${link.id}` }
  await audited(db, START, event).transaction([expiredSetupLinks(at), invitationInsertion(link)])
  return secret
}

export async function completeSetup(
  { token, email, name, password }: SetupRequest,
  origin: SignInOrigin,
  services: SessionServices & HashingServices,
): Promise<OpenedSession> {
  const { db, now, newId, passwordCost: cost } = services
  await countForAddress(db, origin.ip)
  const link = await findInvitation(db, digestOfSecret(token), now())
  if (!link || link.email !== null) throw noLink()
  const address = readEmail(email)
  if (await findUserByEmail(db, address)) throw isTaken()
  const user = {
    id: newId(),
    organization: link.organization,
    email: address,
    name,
    kind: 'person' as const,
    password: await hashPassword(password, networkOf({ clientAddress: origin.ip }), { cost }),
  }
  const ownership = { organization: link.organization, project: null, role: 'owner', source: 'manual' as const }
  const changes = [
    NO_OWNER,
    invitationUse(link.id, user.id, now()),
    userInsertion(user),
    memberInsertion({ id: newId(), userId: user.id, ...ownership }),
  ]
  const after = { email: user.email, name, role: 'owner' }
  const events = [{ action: 'user.create', object: `user:${user.id}`, after }]
  const opened = await openSession(user, { via: 'setup', origin, changes, events }, services)
  if (!opened) throw noLink()
  return opened
}

function isTaken() {
  const message =
    'An account with this e-mail address exists: it was imported, or it signs in with a provider. Choose another address ' +
    'for the first owner.'
  return problem('conflict', { message })
}

function noLink() {
  const message =
    'This link is not valid: it was used, it is older than an hour, or an owner exists already. A restart of the gateway ' +
    'prints a new link if there is no owner yet.'
  return problem('conflict', { message })
}
