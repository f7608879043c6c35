import type { AuditEvent } from '../../audit/author.ts'
import type { Database, Statement } from '../../store/database.ts'
import { invitationUse } from '../../store/people/invitations.ts'
import { memberInsertion } from '../../store/people/members.ts'
import {
  findUserByEmail,
  findUserBySubject,
  type StoredUser,
  userInsertion,
  userUpdate,
} from '../../store/people/users.ts'
import { isConfirmed, linkUse } from '../../store/sign-in/identity-links.ts'
import type { OpenInvitation } from '../../store/sign-in/invited.ts'
import { invitationFor } from '../still-invited.ts'
import type { Profile } from './profile.ts'

/** Why somebody who has proved who they are does not come in. */
export type Refusal = 'disabled' | 'other_identity' | 'unconfirmed' | 'no_access'

/** Who somebody is here, and what has to be written so that they are known next time. */
export type Identified = {
  user: { id: string; organization: string }
  /** How many memberships an invitation adds. */
  invitedTo: number
  statements: Statement[]
  events: AuditEvent[]
}

type Needs = { db: Database; now(): number; newId(): string; organization: string }

/**
 * Somebody is who the issuer and the subject say. An e-mail address alone proves nothing: it links an identity to an account, or
 * to an invitation, only if the provider says that it was verified, or if an admin vouches for it.
 */
export async function identify(profile: Profile, needs: Needs): Promise<Identified | Refusal> {
  const { db } = needs
  const known = await findUserBySubject(db, profile.issuer, profile.subject)
  if (known) return isAllowed(known) ? knownUser(known, profile) : 'disabled'
  const email = await ownEmail(profile, db)
  const sameEmail = profile.email === undefined ? undefined : await findUserByEmail(db, profile.email)
  if (sameEmail) return email === undefined ? 'unconfirmed' : linked(sameEmail, profile)
  return await newUser(profile, email, needs)
}

/** The e-mail address if it is theirs for sure. */
async function ownEmail(
  { issuer, subject, email, isEmailVerified }: Profile,
  db: Database,
): Promise<string | undefined> {
  if (email === undefined || isEmailVerified) return email
  return (await isConfirmed(db, { issuer, subject, email })) ? email : undefined
}

function knownUser(user: StoredUser, { name }: Profile): Identified {
  const isRenamed = user.name !== name
  const event = { action: 'user.update', object: `user:${user.id}`, before: { name: user.name }, after: { name } }
  return {
    user,
    invitedTo: 0,
    statements: isRenamed ? [userUpdate(user.id, { name })] : [],
    events: isRenamed ? [event] : [],
  }
}

/** An account belongs to one identity. */
function linked(user: StoredUser, { issuer, subject }: Profile): Identified | Refusal {
  if (!isAllowed(user)) return 'disabled'
  if (user.kind !== 'person' || user.subject !== null) return 'other_identity'
  return {
    user,
    invitedTo: 0,
    statements: [userUpdate(user.id, { issuer, subject }), linkUse(issuer, subject)],
    events: [{ action: 'user.link', object: `user:${user.id}`, after: { issuer, subject } }],
  }
}

/** An address that may be somebody else's is not stored: it would keep that person from being invited. */
async function newUser(profile: Profile, email: string | undefined, needs: Needs): Promise<Identified | Refusal> {
  const { newId, organization } = needs
  const { issuer, subject, name } = profile
  const invitation = profile.email === undefined ? undefined : await invitationFor(profile.email, needs)
  if (invitation && email === undefined) return 'unconfirmed'
  const user = { id: newId(), organization: invitation?.organization ?? organization }
  const created = { action: 'user.create', object: `user:${user.id}`, after: { name, email: email ?? null, issuer } }
  return {
    user,
    invitedTo: invitation ? 1 : 0,
    statements: [
      userInsertion({ ...user, email: email ?? null, name, kind: 'person', password: null, issuer, subject }),
      linkUse(issuer, subject),
      ...(invitation ? invitationStatements(user.id, invitation, needs) : []),
    ],
    events: [created, ...(invitation ? [acceptance(invitation)] : [])],
  }
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
