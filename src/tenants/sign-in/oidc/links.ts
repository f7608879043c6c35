import { audited } from '../../audit/audited.ts'
import type { IdentityLinkBody, IdentityLinkList } from '../../../contract/admin/sign-in.ts'
import { problem } from '../../../contract/problems.ts'
import type { Role } from '../../../contract/admin/roles.ts'
import { demandGrant } from '../../people/check-grant.ts'
import type { PeopleServices } from '../../people/people-services.ts'
import { membershipsOf } from '../../../platform/store/people/members.ts'
import { findUserByEmail, userTakeover } from '../../../platform/store/people/users.ts'
import {
  findIdentityLink,
  type IdentityLink,
  linkConfirmation,
  linkDeletion,
  linkUse,
  listIdentityLinks,
} from '../../../platform/store/sign-in/identity-links.ts'
import { invitationFor } from '../still-invited.ts'

// Identities that wait for an admin, because the word of their provider is not enough to say that their e-mail address is theirs.

type Needs = Pick<PeopleServices, 'db' | 'author' | 'actor' | 'now'>

export async function listLinks(
  page: { limit: number; cursor?: string | undefined },
  { db }: Pick<Needs, 'db'>,
): Promise<IdentityLinkList> {
  const { items, nextCursor } = await listIdentityLinks(db, page)
  return { items: items.map(bodyOf), next_cursor: nextCursor }
}

/**
 * An account with this e-mail address is linked at once, so that it is the account whose roles were checked. Without one, the
 * invitations of now are what the identity gets with its next sign-in.
 */
export async function confirmLink(id: string, needs: Needs): Promise<IdentityLinkBody> {
  const { db, author, actor, now } = needs
  const link = await findIdentityLink(db, id)
  if (!link) throw noLink()
  const { issuer, subject, email } = link
  const user = await findUserByEmail(db, email)
  const invitation = user ? undefined : await invitationFor(email, { db, now })
  // The admin gives the identity all roles of that person, and so has to be able to give each of them.
  for (const { role, ...scope } of user ? await membershipsOf(db, user.id) : invitation ? [invitation] : [])
    demandGrant(actor, role as Role, scope)
  const confirmedAt = now()
  const confirmed = {
    action: 'identity_link.confirm',
    object: `identity_link:${id}`,
    after: { issuer, subject, email },
  }
  const linked = user && { action: 'user.link', object: `user:${user.id}`, after: { issuer, subject } }
  const statements = user
    ? [...userTakeover(user.id, link), linkUse(issuer, subject)]
    : [linkConfirmation(id, confirmedAt)]
  const [changed] = await audited(db, author, confirmed, ...(linked ? [linked] : [])).transaction(statements)
  if (changed!.changes === 0) throw user ? otherIdentity() : noLink()
  return bodyOf({ ...link, confirmedAt })
}

export async function removeLink(id: string, { db, author }: Pick<Needs, 'db' | 'author'>): Promise<void> {
  const event = { action: 'identity_link.delete', object: `identity_link:${id}` }
  const [removed] = await audited(db, author, event).transaction([linkDeletion(id)])
  if (removed!.changes === 0) throw noLink()
}

function bodyOf({ id, issuer, subject, email, name, createdAt, confirmedAt }: IdentityLink): IdentityLinkBody {
  const created = new Date(createdAt).toISOString()
  const confirmed = confirmedAt === null ? null : new Date(confirmedAt).toISOString()
  return { id, issuer, subject, email, name, created_at: created, confirmed_at: confirmed }
}

function otherIdentity() {
  const message = 'The account with this e-mail address is disabled, or belongs to another identity.'
  return problem('conflict', { message })
}

function noLink() {
  return problem('not_found', { message: 'There is no such identity.' })
}
