import { audited } from '../audit/audited.ts'
import type {
  CreatedInvitation,
  CreateInvitationRequest,
  Invitation,
  InvitationList,
} from '../../contract/admin/members.ts'
import type { Role } from '../../contract/admin/roles.ts'
import { problem } from '../../contract/problems.ts'
import {
  findInvitationById,
  invitationDeletion,
  invitationInsertion,
  listInvitations,
  type StoredInvitation,
} from '../../platform/store/people/invitations.ts'
import { checkOrganization, demandGrant, readScope } from './check-grant.ts'
import { may, whereMay } from './may.ts'
import { demand, isoOf, type PeopleServices, readEmail } from './people-services.ts'
import { newSecret } from './secret.ts'
import { HOUR_MS } from '../../base/units/units.ts'

const DEFAULT_HOURS = 72

/** `link` makes the address that the person opens. The token is behind its `#`, so that it is in no log. */
export async function invite(
  { email, role, expires_in_hours, ...named }: CreateInvitationRequest,
  link: (token: string) => string,
  people: PeopleServices,
): Promise<CreatedInvitation> {
  const { db, actor, author, newId, now } = people
  const scope = await readScope(named, 'members.write', people)
  demand(actor, 'members.write', scope)
  demandGrant(actor, role, scope)
  await checkOrganization(scope, people)
  const { secret: token, digest } = newSecret()
  const createdAt = now()
  const invitation = {
    id: newId(),
    ...scope,
    role,
    email: readEmail(email),
    invitedBy: author.actor,
    createdAt,
    expiresAt: createdAt + (expires_in_hours ?? DEFAULT_HOURS) * HOUR_MS,
  }
  const after = { email: invitation.email, role, ...scope }
  const event = { action: 'invitation.create', object: `invitation:${invitation.id}`, after }
  await audited(db, author, event).transaction([invitationInsertion({ ...invitation, digest })])
  return { ...bodyOf({ ...invitation, usedAt: null, usedBy: null }), token, url: link(token) }
}

export async function listInvited(
  page: { limit: number; cursor?: string | undefined },
  { db, actor }: PeopleServices,
): Promise<InvitationList> {
  const where = whereMay(actor, 'members.read')
  const { items, nextCursor } = await listInvitations(db, { ...page, reach: where.all ? undefined : where })
  return { items: items.map(bodyOf), next_cursor: nextCursor }
}

export async function showInvitation(id: string, people: PeopleServices): Promise<Invitation> {
  return bodyOf(await visible(id, people))
}

export async function removeInvitation(id: string, people: PeopleServices): Promise<void> {
  const { db, actor, author } = people
  const { email, role, organization, project } = await visible(id, people)
  demand(actor, 'members.write', { organization, project })
  const event = { action: 'invitation.delete', object: `invitation:${id}`, before: { email, role, project } }
  const [deleted] = await audited(db, author, event).transaction([invitationDeletion(id)])
  if (deleted!.changes === 0) throw unknownInvitation()
}

async function visible(id: string, { db, actor }: PeopleServices): Promise<StoredInvitation> {
  const invitation = await findInvitationById(db, id)
  if (!invitation || !may(actor, 'members.read', invitation)) throw unknownInvitation()
  return invitation
}

function bodyOf(invitation: StoredInvitation): Invitation {
  return {
    id: invitation.id,
    email: invitation.email ?? '',
    role: invitation.role as Role,
    organization: invitation.organization,
    project: invitation.project,
    invited_by: invitation.invitedBy,
    created_at: isoOf(invitation.createdAt),
    expires_at: isoOf(invitation.expiresAt),
    used_at: isoOf(invitation.usedAt),
  }
}

function unknownInvitation() {
  return problem('not_found', { message: 'There is no such invitation.' })
}
