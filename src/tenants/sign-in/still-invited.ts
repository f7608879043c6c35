import type { Role } from '../../contract/admin/roles.ts'
import { type Actor, adminKeyActor } from '../people/actor.ts'
import { mayGrant } from '../people/grants.ts'
import { may } from '../people/may.ts'
import type { Database } from '../../platform/store/database.ts'
import { findKey } from '../../platform/store/keys/keys.ts'
import { membershipsOf } from '../../platform/store/people/members.ts'
import { findUser } from '../../platform/store/people/users.ts'
import { findInvitationsFor, type OpenInvitation } from '../../platform/store/sign-in/invited.ts'
import { actorOfUser } from './sessions.ts'

type Needs = { db: Database; now(): number }

/**
 * The maker of a link can pass it on, so it gives only what its maker could give today, and not what they could give when
 * they made it.
 */
export async function isStillInvited(
  { invitedBy, role, organization, project }: Omit<OpenInvitation, 'id' | 'createdAt'>,
  needs: Needs,
): Promise<boolean> {
  const maker = await makerOfLink(invitedBy, needs)
  const scope = { organization, project }
  return maker !== undefined && may(maker, 'members.write', scope) && mayGrant(maker, role as Role, scope)
}

/** The newest invitation of this e-mail address whose maker could still make it. */
export async function invitationFor(email: string, { db, now }: Needs): Promise<OpenInvitation | undefined> {
  for (const invitation of await findInvitationsFor(db, email, now()))
    if (await isStillInvited(invitation, { db, now })) return invitation
  return undefined
}

/** The maker of a link, as the audit log names them, with the rights of today; undefined if they have none. */
export async function makerOfLink(name: string, { db, now }: Needs): Promise<Actor | undefined> {
  const [, kind, id] = /^(user|service|admin_key):(.+)$/.exec(name) ?? []
  // The admin key of the environment, or the machine itself.
  if (id === undefined) return adminKeyActor()
  return kind === 'admin_key' ? await keyOfToday(id, { db, now }) : await userOfToday(id, db)
}

async function userOfToday(id: string, db: Database): Promise<Actor | undefined> {
  const user = await findUser(db, id)
  return user && user.disabledAt === null ? actorOfUser(user, await membershipsOf(db, id)) : undefined
}

async function keyOfToday(id: string, { db, now }: Needs): Promise<Actor | undefined> {
  const key = await findKey(db, id)
  if (!key || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now())) return undefined
  return adminKeyActor(id)
}
