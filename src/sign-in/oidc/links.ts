import type { Author } from '../../audit/author.ts'
import { recorded } from '../../audit/record.ts'
import type { IdentityLinkBody, IdentityLinkList } from '../../contract/admin/sign-in.ts'
import { problem } from '../../contract/problems.ts'
import type { Database } from '../../store/database.ts'
import {
  findIdentityLink,
  type IdentityLink,
  linkConfirmation,
  linkDeletion,
  listIdentityLinks,
} from '../../store/sign-in/identity-links.ts'

// Identities that wait for an admin, because their provider does not say whether their e-mail address is theirs.

type Needs = { db: Database; author: Author }

export async function listLinks(
  page: { limit: number; cursor?: string | undefined },
  { db }: Pick<Needs, 'db'>,
): Promise<IdentityLinkList> {
  const { items, nextCursor } = await listIdentityLinks(db, page)
  return { items: items.map(bodyOf), next_cursor: nextCursor }
}

/** From the next sign-in on, the identity is the account, or the invitation, with this e-mail address. */
export async function confirmLink(id: string, { db, author }: Needs): Promise<IdentityLinkBody> {
  const link = await findIdentityLink(db, id)
  if (!link) throw noLink()
  const { issuer, subject, email } = link
  const event = { action: 'identity_link.confirm', object: `identity_link:${id}`, after: { issuer, subject, email } }
  const [confirmed] = await recorded(db, author, event).transaction([linkConfirmation(id)])
  if (confirmed!.changes === 0 && link.confirmedAt === null) throw noLink()
  return bodyOf((await findIdentityLink(db, id)) ?? link)
}

export async function removeLink(id: string, { db, author }: Needs): Promise<void> {
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
