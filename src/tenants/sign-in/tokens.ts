import type { Actor } from '../people/actor.ts'
import { digestOfSecret } from '../people/secret.ts'
import { findToken, touchToken } from '../../platform/store/people/admin-tokens.ts'
import { hasOwner } from '../../platform/store/people/members.ts'
import { actorOfUser, type SessionServices } from './sessions.ts'

/** The service account that has this token, as the store says now. */
export async function actorOfToken(token: string, { db, now }: SessionServices): Promise<Actor | undefined> {
  const found = await findToken(db, digestOfSecret(token), now())
  if (!found) return undefined
  await touchToken(db, found.token.id, now())
  return actorOfUser(found.user, found.memberships)
}

/** Whether there is an owner who can get in without an admin key. */
export function canSignIn({ db }: SessionServices): Promise<boolean> {
  return hasOwner(db)
}
