import { networkOf } from '../access/client-network.ts'
import type { AcceptInvitationRequest } from '../../contract/admin/members.ts'
import { Problem } from '../../contract/problems.ts'
import { changeableUser } from '../people/manage-users.ts'
import { checkName, invalid } from '../people/people-services.ts'
import { accountOpening, type StoredAccountLink } from '../../platform/store/people/account-links.ts'
import { findUser, userUpdate } from '../../platform/store/people/users.ts'
import { type HashingServices, hashPassword } from './password-hash.ts'
import { type OpenedSession, openSession, type SessionServices, type SignInOrigin } from './sessions.ts'
import { demandPasswords, type PasswordRule } from './sso-only.ts'
import { makerOfLink } from './still-invited.ts'

/**
 * Sets the first password of an account, and opens a session. The maker of the link knows its token too, so the link is
 * refused if they could not change the account today, for example because the person has got a higher role since then.
 */
export async function openAccount(
  link: StoredAccountLink,
  { request, origin }: { request: AcceptInvitationRequest; origin: SignInOrigin },
  services: SessionServices & PasswordRule & HashingServices,
): Promise<OpenedSession | undefined> {
  const { name, password } = request
  if (password === undefined) throw invalid('password', 'The account needs a password')
  await demandPasswords(services)
  if (!(await mayStillChange(link, services))) return undefined
  if (name !== undefined) checkName(name, (await findUser(services.db, link.userId))?.email ?? null)
  const hash = await hashPassword(password, networkOf({ clientAddress: origin.ip }), { cost: services.passwordCost })
  const changes = [
    ...accountOpening(link, hash, services.now()),
    ...(name === undefined ? [] : [userUpdate(link.userId, { name })]),
  ]
  const events = [{ action: 'user.password', object: `user:${link.userId}`, after: { password: 'changed' } }]
  return await openSession({ id: link.userId }, { via: 'invitation', origin, changes, events }, services)
}

async function mayStillChange({ userId, madeBy }: StoredAccountLink, services: SessionServices): Promise<boolean> {
  const { db } = services
  const actor = await makerOfLink(madeBy, services)
  if (!actor) return false
  return await changeableUser(userId, { db, actor }).then(
    () => true,
    (error) => {
      if (error instanceof Problem) return false
      throw error
    },
  )
}
