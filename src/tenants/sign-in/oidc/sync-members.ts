import type { AuditEvent } from '../../audit/author.ts'
import type { Grant } from '../../../platform/config/auth/auth.ts'
import { DEFAULT_ORGANIZATION } from '../../../platform/store/people/reach.ts'
import type { RoleScope } from '../../people/grants.ts'
import type { Database, Statement } from '../../../platform/store/database.ts'
import {
  keysEnd,
  memberDeletion,
  memberInsertion,
  membershipsOf,
  ownerRemains,
  roleUpdate,
  type StoredMember,
} from '../../../platform/store/people/members.ts'
import { existingProjects } from '../../../platform/store/sign-in/invited.ts'

export type MemberChanges = { statements: Statement[]; events: AuditEvent[]; membershipCount: number }

/**
 * Makes the memberships that the provider rules what its groups say now. Those that people have given stay as they are, and
 * the last owner stays an owner whatever the groups say: otherwise no owner could repair a mistake in them. `invitedTo` is where an
 * invitation gives a role with this sign-in. `membershipCount` is how many memberships the person has then.
 */
export async function memberChanges(
  { id: userId, invitedTo }: { id: string; invitedTo: RoleScope | undefined },
  grants: readonly Grant[],
  { db, newId }: { db: Database; newId(): string },
): Promise<MemberChanges> {
  const scopedGrants = await withScope(grants, db)
  const before = await membershipsOf(db, userId)
  const given: RoleScope[] = [...before, ...(invitedTo ? [invitedTo] : [])]
  const lost = before.find((member) => isOwner(member) && isRuled(member) && !keepsRole(member, scopedGrants))
  const staysOwner = lost !== undefined && !(await isAnotherOwner(lost, db))
  const ruled = before.filter((member) => isRuled(member) && !(staysOwner && isOwner(member)))
  const removed = ruled.filter((member) => !scopedGrants.some((one) => isSameScope(member, one)))
  const changed = ruled.flatMap((member) => roleChange(member, scopedGrants))
  const added = scopedGrants
    .filter((grant) => !given.some((one) => isSameScope(one, grant)))
    .map((grant) => ({ id: newId(), ...grant, userId, source: 'sso' as const }))
  const isLess = removed.length > 0 || changed.length > 0
  return {
    statements: [
      ...(lost && !staysOwner ? [ownerRemains(userId, lost.organization)] : []),
      ...removed.map(({ id }) => memberDeletion(id)),
      ...changed.map(({ member, role }) => roleUpdate(member.id, role)),
      ...added.map(memberInsertion),
      ...(isLess ? [keysEnd(userId)] : []),
    ],
    events: [
      ...removed.map(({ id, role, project }) => event('delete', id, { role, project, user: userId }, null)),
      ...changed.map(({ member, role }) => event('update', member.id, { role: member.role }, { role, user: userId })),
      ...added.map(({ id, role, project }) => event('create', id, null, { user: userId, role, project })),
    ],
    membershipCount: given.length - removed.length + added.length,
  }
}

/**
 * A group may name a project that was not created yet, or that was deleted. A role without a project is one on the
 * organization that runs the installation, because its config file says so.
 */
async function withScope(grants: readonly Grant[], db: Database): Promise<ScopedGrant[]> {
  const named = grants.flatMap(({ project }) => project ?? [])
  const existing = await existingProjects(db, named)
  return grants.flatMap((grant) => {
    const organization = grant.project === null ? DEFAULT_ORGANIZATION : existing.get(grant.project)
    return organization === undefined ? [] : [{ ...grant, organization }]
  })
}

type ScopedGrant = Grant & RoleScope

function isSameScope(one: RoleScope, other: RoleScope): boolean {
  return one.project === other.project && (one.project !== null || one.organization === other.organization)
}

function isRuled({ source }: StoredMember): boolean {
  return source === 'sso'
}

function isOwner({ role, project }: StoredMember): boolean {
  return role === 'owner' && project === null
}

function keepsRole(member: StoredMember, scopedGrants: readonly ScopedGrant[]): boolean {
  return scopedGrants.some((one) => isSameScope(member, one) && one.role === member.role)
}

async function isAnotherOwner({ userId, organization }: StoredMember, db: Database): Promise<boolean> {
  const { sql, values } = ownerRemains(userId, organization)
  return (await db.query(sql, values)).length > 0
}

function roleChange(
  member: StoredMember,
  scopedGrants: readonly ScopedGrant[],
): { member: StoredMember; role: string }[] {
  const role = scopedGrants.find((one) => isSameScope(member, one))?.role
  return role !== undefined && role !== member.role ? [{ member, role }] : []
}

function event(what: string, id: string, before: AuditEvent['before'], after: AuditEvent['after']): AuditEvent {
  return { action: `member.${what}`, object: `member:${id}`, before: before ?? null, after: after ?? null }
}
