import { audited } from '../audit/audited.ts'
import type { ChangeMemberRequest, CreateMemberRequest, Member, MemberList } from '../../contract/admin/members.ts'
import type { Role } from '../../contract/admin/roles.ts'
import { problem } from '../../contract/problems.ts'
import type { Statement } from '../../platform/store/database.ts'
import {
  findMember,
  keysEnd,
  listMembers,
  memberDeletion,
  memberInsertion,
  membershipsOf,
  ownerRemains,
  roleUpdate,
  type StoredMember,
} from '../../platform/store/people/members.ts'
import { invitationsEnd } from '../../platform/store/people/invitations.ts'
import { sessionsEnd } from '../../platform/store/people/sessions.ts'
import { checkOrganization, demandGrant, readScope } from './check-grant.ts'
import type { Membership } from './actor.ts'
import { haveSameRights, type RoleScope } from './grants.ts'
import { demandChange, demandKnown, found } from './manage-users.ts'
import { may, whereMay } from './may.ts'
import { demand, isoOf, type PeopleServices } from './people-services.ts'

// A change of rights ends the sessions of the person, so that the next sign-in has a new token. A change of roles is none if
// another role already gives what the changed one gives.

type Filter = { project?: string | undefined; user?: string | undefined }

export async function listMemberships(
  page: Filter & { limit: number; cursor?: string | undefined },
  { db, actor }: PeopleServices,
): Promise<MemberList> {
  const where = whereMay(actor, 'members.read')
  const { items, nextCursor } = await listMembers(db, { ...page, reach: where.all ? undefined : where })
  return { items: items.map(bodyOf), next_cursor: nextCursor }
}

export async function showMember(id: string, people: PeopleServices): Promise<Member> {
  return bodyOf(await visibleMember(id, people))
}

export async function addMember(
  { user, role, ...named }: CreateMemberRequest,
  people: PeopleServices,
): Promise<Member> {
  const { db, actor, author, newId } = people
  const scope = await readScope(named, 'members.write', people)
  demand(actor, 'members.write', scope)
  demandGrant(actor, role, scope)
  await checkOrganization(scope, people)
  await checkUser(user, scope, people)
  const member = { id: newId(), ...scope, userId: user, role, source: 'manual' as const }
  const event = { action: 'member.create', object: `member:${member.id}`, after: { user, role, ...scope } }
  const ends = (await changesRights(member, { to: role }, people)) ? [sessionsEnd(user)] : []
  const [added] = await audited(db, author, event).transaction([memberInsertion(member), ...ends])
  if (added!.changes === 0)
    throw problem('conflict', { message: 'This user already has a role there. Change it with PATCH.' })
  return bodyOf((await findMember(db, member.id))!)
}

/** A user of another organization whom the actor may not see is invited instead, and can refuse. */
async function checkUser(id: string, { organization }: RoleScope, people: PeopleServices): Promise<void> {
  const user = await found(id, people)
  if (user.organization !== organization) await demandKnown(id, people)
}

export async function changeMember(id: string, { role }: ChangeMemberRequest, people: PeopleServices): Promise<Member> {
  const { db, author } = people
  const member = await changeableMember(id, people)
  demandGrant(people.actor, role, member)
  const event = {
    action: 'member.update',
    object: `member:${id}`,
    before: { role: member.role },
    after: { role, user: member.userId },
  }
  const guard = role === 'owner' || member.project !== null ? [] : [ownerRemains(member.userId, member.organization)]
  const ends = await rightsEnd(member, { from: member.role, to: role }, people)
  const results = await audited(db, author, event).transaction([
    ...guard,
    roleUpdate(id, role),
    ...ends,
    keysEnd(member.userId),
  ])
  demandChange(results, guard.length, unknownMember)
  await people.keyCache?.refresh()
  return bodyOf((await findMember(db, id))!)
}

/** The keys of the person in the project end with the membership, in all processes within seconds. */
export async function removeMember(id: string, people: PeopleServices): Promise<void> {
  const { db, author } = people
  const member = await changeableMember(id, people)
  const { userId, role, organization, project } = member
  const event = {
    action: 'member.delete',
    object: `member:${id}`,
    before: { user: userId, role, organization, project },
  }
  const guard = project === null ? [ownerRemains(userId, organization)] : []
  const ends = await rightsEnd(member, { from: role }, people)
  const statements = [...guard, memberDeletion(id), ...ends, keysEnd(userId)]
  const results = await audited(db, author, event).transaction(statements)
  demandChange(results, guard.length, unknownMember)
  await people.keyCache?.refresh()
}

type Holder = RoleScope & { userId: string }
/** The role before a change and after it; absent if there is none. */
type RoleChange = { from?: string; to?: string }

/** Sessions with the old rights, and invitations that were made with them. */
async function rightsEnd(holder: Holder, change: RoleChange, people: PeopleServices): Promise<Statement[]> {
  if (!(await changesRights(holder, change, people))) return []
  return [sessionsEnd(holder.userId), invitationsEnd(holder.userId)]
}

async function changesRights(holder: Holder, { from, to }: RoleChange, { db }: PeopleServices): Promise<boolean> {
  const { userId, organization, project } = holder
  const isOther = (one: RoleScope) => one.organization !== organization || one.project !== project
  const others = ((await membershipsOf(db, userId)) as Membership[]).filter(isOther)
  const including = (role?: string) => (role ? [...others, { organization, project, role: role as Role }] : others)
  return !haveSameRights(including(from), including(to), holder)
}

async function visibleMember(id: string, { db, actor }: PeopleServices): Promise<StoredMember> {
  const member = await findMember(db, id)
  if (!member || !may(actor, 'members.read', member)) throw unknownMember()
  return member
}

/** What an identity provider rules cannot be changed here: the next sign-in would undo it. */
async function changeableMember(id: string, people: PeopleServices): Promise<StoredMember> {
  const member = await visibleMember(id, people)
  demand(people.actor, 'members.write', member)
  demandGrant(people.actor, member.role as Role, member)
  if (member.source === 'manual') return member
  throw problem('conflict', { message: 'This membership comes from the identity provider. Change it there.' })
}

function bodyOf({ id, userId, organization, project, role, source, createdAt }: StoredMember): Member {
  const created_at = isoOf(createdAt)
  return { id, user: userId, organization, project, role: role as Role, source, created_at }
}

function unknownMember() {
  return problem('not_found', { message: 'There is no such membership.' })
}
