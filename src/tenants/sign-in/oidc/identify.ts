import type { AuditEvent } from '../../audit/author.ts'
import type { OidcIssuer } from '../../../platform/config/auth/auth.ts'
import type { Role } from '../../../contract/admin/roles.ts'
import type { Membership } from '../../people/actor.ts'
import type { RoleScope } from '../../people/grants.ts'
import type { Database, Statement } from '../../../platform/store/database.ts'
import { invitationUse } from '../../../platform/store/people/invitations.ts'
import { memberInsertion, membershipsOf } from '../../../platform/store/people/members.ts'
import {
  findUser,
  findUserByEmail,
  findUserBySubject,
  type StoredUser,
  userInsertion,
  userLink,
  userTakeover,
  userUpdate,
} from '../../../platform/store/people/users.ts'
import { confirmationOf, linkUse } from '../../../platform/store/sign-in/identity-links.ts'
import type { OpenInvitation } from '../../../platform/store/sign-in/invited.ts'
import { invitationFor } from '../still-invited.ts'
import { mayVouchFor } from './may-vouch.ts'
import type { Profile } from './profile.ts'

/** Why a person whom the provider has authenticated may not sign in here. */
export type Refusal = 'disabled' | 'other_identity' | 'unconfirmed' | 'no_access'

/** The user that an identity belongs to, and what has to be written so that it is found at the next sign-in. */
type Identified = {
  user: { id: string; organization: string }
  /** Where an invitation gives a role. */
  invitedTo: RoleScope | undefined
  statements: Statement[]
  events: AuditEvent[]
}

type Needs = {
  db: Database
  now(): number
  newId(): string
  organization: string
  provider: OidcIssuer
  /** The account that a person who has proved the password of it wants to link. */
  linkTo: string | undefined
}

/**
 * Issuer and subject identify a person. An e-mail address alone proves nothing: it links an identity to an account, or
 * to an invitation, only if the provider says that it was verified and may give the roles of it, or if an admin vouches for it.
 */
export async function identify(profile: Profile, needs: Needs): Promise<Identified | Refusal> {
  const { db, linkTo, provider } = needs
  const user = await findUserBySubject(db, profile.issuer, profile.subject)
  if (linkTo !== undefined && user?.id !== linkTo)
    return user ? 'other_identity' : await withConsent(linkTo, profile, db)
  if (user) return isAllowed(user) ? knownUser(user, profile) : 'disabled'
  const sameEmail = profile.email === undefined ? undefined : await findUserByEmail(db, profile.email)
  if (!sameEmail) return await newUser(profile, needs)
  const roles = (await membershipsOf(db, sameEmail.id)) as Membership[]
  const isVouched = profile.isEmailVerified && mayVouchFor(provider, roles)
  return isVouched ? linked(sameEmail, profile, userTakeover(sameEmail.id, profile)) : 'unconfirmed'
}

/** The e-mail address may be another one: the person has proved to be who uses the account. */
async function withConsent(id: string, profile: Profile, db: Database): Promise<Identified | Refusal> {
  const user = await findUser(db, id)
  return user ? linked(user, profile, [userLink(id, profile)]) : 'disabled'
}

function knownUser(user: StoredUser, { name }: Profile): Identified {
  const isRenamed = user.name !== name
  const event = { action: 'user.update', object: `user:${user.id}`, before: { name: user.name }, after: { name } }
  return {
    user,
    invitedTo: undefined,
    statements: isRenamed ? [userUpdate(user.id, { name })] : [],
    events: isRenamed ? [event] : [],
  }
}

/** An account belongs to one identity. */
function linked(user: StoredUser, { issuer, subject }: Profile, link: Statement[]): Identified | Refusal {
  if (!isAllowed(user)) return 'disabled'
  if (user.kind !== 'person' || user.subject !== null) return 'other_identity'
  return {
    user,
    invitedTo: undefined,
    statements: [...link, linkUse(issuer, subject)],
    events: [{ action: 'user.link', object: `user:${user.id}`, after: { issuer, subject } }],
  }
}

/** An unverified address may belong to another person, so it is not stored: it would keep that person from being invited. */
async function newUser(profile: Profile, needs: Needs): Promise<Identified | Refusal> {
  const { newId, organization, db } = needs
  const { issuer, subject, name } = profile
  const invitation = profile.email === undefined ? undefined : await invitationFor(profile.email, needs)
  const confirmedAt =
    profile.email === undefined ? undefined : await confirmationOf(db, { ...profile, email: profile.email })
  const isConfirmed = confirmedAt !== undefined && (!invitation || invitation.createdAt <= confirmedAt)
  if (invitation && !isConfirmed && !isVouchedFor(invitation, profile, needs)) return 'unconfirmed'
  const email = (profile.isEmailVerified || isConfirmed ? profile.email : undefined) ?? null
  const user = { id: newId(), organization: invitation?.organization ?? organization }
  const created = { action: 'user.create', object: `user:${user.id}`, after: { name, email, issuer } }
  return {
    user,
    invitedTo: invitation,
    statements: [
      userInsertion({ ...user, email, name, kind: 'person', password: null, issuer, subject }),
      linkUse(issuer, subject),
      ...(invitation ? invitationStatements(user.id, invitation, needs) : []),
    ],
    events: [created, ...(invitation ? [acceptance(invitation)] : [])],
  }
}

function isVouchedFor(invitation: OpenInvitation, { isEmailVerified }: Profile, { provider }: Needs): boolean {
  const { organization, project, role } = invitation
  return isEmailVerified && mayVouchFor(provider, [{ organization, project, role: role as Role }])
}

function invitationStatements(userId: string, invitation: OpenInvitation, { now, newId }: Needs): Statement[] {
  const { id, organization, project, role } = invitation
  const member = { id: newId(), organization, project, userId, role, source: 'manual' as const }
  return [invitationUse(id, userId, now()), memberInsertion(member)]
}

function acceptance({ id, role, project }: OpenInvitation): AuditEvent {
  return { action: 'invitation.accept', object: `invitation:${id}`, after: { role, project } }
}

function isAllowed({ disabledAt }: StoredUser): boolean {
  return disabledAt === null
}
