import { recorded } from '../../audit/record.ts'
import type { IdentityLinkBody, IdentityLinkList } from '../../contract/admin/sign-in.ts'
import { problem } from '../../contract/problems.ts'
import type { Role } from '../../contract/admin/roles.ts'
import { demandGrant } from '../../people/check-grant.ts'
import type { PeopleContext } from '../../people/people-context.ts'
import { membershipsOf } from '../../store/people/members.ts'
import { findUserByEmail } from '../../store/people/users.ts'
import {
  findIdentityLink,
  type IdentityLink,
  linkConfirmation,
  linkDeletion,
  listIdentityLinks,
} from '../../store/sign-in/identity-links.ts'
import { invitationFor } from '../still-invited.ts'

// Identities that wait for an admin, because their provider does not say whether their e-mail address is theirs.

type Needs = Pick<PeopleContext, 'db' | 'author' | 'actor' | 'now'>

export async function listLinks(
  page: { limit: number; cursor?: string | undefined },
  { db }: Pick<Needs, 'db'>,
): Promise<IdentityLinkList> {
  const { items, nextCursor } = await listIdentityLinks(db, page)
  return { items: items.map(bodyOf), next_cursor: nextCursor }
}

/** From the next sign-in on, the identity is the account, or the invitation, with this e-mail address. */
export async function confirmLink(id: string, needs: Needs): Promise<IdentityLinkBody> {
  const { db, author } = needs
  const link = await findIdentityLink(db, id)
  if (!link) throw noLink()
  await demandRoles(link, needs)
  const { issuer, subject, email } = link
  const event = { action: 'identity_link.confirm', object: `identity_link:${id}`, after: { issuer, subject, email } }
  const [confirmed] = await recorded(db, author, event).transaction([linkConfirmation(id)])
  if (confirmed!.changes === 0 && link.confirmedAt === null) throw noLink()
  return bodyOf((await findIdentityLink(db, id)) ?? link)
}

/** Whoever confirms it gives the identity all roles of that person, so they have to be able to give each of them. */
async function demandRoles({ email }: IdentityLink, { db, actor, now }: Needs): Promise<void> {
  const user = await findUserByEmail(db, email)
  const invitation = await invitationFor(email, { db, now })
  const given = [...(user ? await membershipsOf(db, user.id) : []), ...(invitation ? [invitation] : [])]
  for (const { role, ...place } of given) demandGrant(actor, role as Role, place)
}

export async function removeLink(id: string, { db, author }: Pick<Needs, 'db' | 'author'>): Promise<void> {
  const event = { action: 'identity_link.delete', object: `identity_link:${id}` }
  const [removed] = await recorded(db, author, event).transaction([linkDeletion(id)])
  if (removed!.changes === 0) throw noLink()
}

function bodyOf({ id, issuer, subject, email, name, createdAt, confirmedAt }: IdentityLink): IdentityLinkBody {
  const created = new Date(createdAt).toISOString()
  const confirmed = confirmedAt === null ? null : new Date(confirmedAt).toISOString()
  return { id, issuer, subject, email, name, created_at: created, confirmed_at: confirmed }
}

function noLink() {
  return problem('not_found', { message: 'There is no such identity.' })
}
