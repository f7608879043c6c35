import type { Actor } from '../people/actor.ts'
import { digestOfSecret } from '../people/secret.ts'
import type { ManagementScope } from '../../contract/admin/people.ts'
import { findToken, type StoredToken, touchToken } from '../../platform/store/people/admin-tokens.ts'
import { hasOwner } from '../../platform/store/people/members.ts'
import { actorOfUser, type SessionServices } from './sessions.ts'

/** The service account that has this token, as the store says now. */
export async function actorOfToken(token: string, { db, now }: SessionServices): Promise<Actor | undefined> {
  const found = await findToken(db, digestOfSecret(token), now())
  if (!found || found.token.scopes !== null) return undefined
  await touchToken(db, found.token.id, now())
  return actorOfUser(found.user, found.memberships)
}

export type ManagementKey = {
  actor: Actor
  token: StoredToken & { scopes: readonly ManagementScope[] }
  /** The organization of its service account, which is all that it reaches. */
  organization: string
}

/** Finds who asks with a management key: its service account, with its roles in its own organization. */
export async function managementKeyOf(key: string, { db, now }: SessionServices): Promise<ManagementKey | undefined> {
  const found = await findToken(db, digestOfSecret(key), now())
  if (!found || found.token.scopes === null) return undefined
  const { token, user, memberships } = found
  await touchToken(db, token.id, now())
  const { organization } = user
  const own = memberships.filter((membership) => membership.organization === organization)
  return {
    actor: { ...actorOfUser(user, own), via: 'management_key', managementKey: token.id },
    token: { ...token, scopes: found.token.scopes },
    organization,
  }
}

/** Whether there is an owner who can get in without an admin key. */
export function canSignIn({ db }: SessionServices): Promise<boolean> {
  return hasOwner(db)
}
