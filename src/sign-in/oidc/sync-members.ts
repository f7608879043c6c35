import type { AuditEvent } from '../../audit/author.ts'
import type { Grant } from '../../config/auth/auth.ts'
import type { Database, Statement } from '../../store/database.ts'
import {
  keysEnd,
  memberDeletion,
  memberInsertion,
  membershipsOf,
  ownerRemains,
  roleUpdate,
  type StoredMember,
} from '../../store/people/members.ts'
import { existingProjects } from '../../store/sign-in/invited.ts'

type Person = { id: string; organization: string }
export type MemberChanges = { statements: Statement[]; events: AuditEvent[]; held: number }

/**
 * Makes the memberships that the provider rules what its groups say now. Those that people have given stay as they are, and
 * the last owner stays an owner whatever the groups say: otherwise nobody could repair a mistake in them. `held` is how many
 * memberships the person has then.
 */
export async function memberChanges(
  { id: userId, organization }: Person,
  grants: readonly Grant[],
  { db, newId }: { db: Database; newId(): string },
): Promise<MemberChanges> {
  const wanted = await withProject(grants, db)
  const before = await membershipsOf(db, userId)
  const losesOwner = before.some((member) => isOwner(member) && isRuled(member) && !keepsRole(member, wanted))
  const staysOwner = losesOwner && !(await isAnotherOwner(userId, db))
  const ruled = before.filter((member) => isRuled(member) && !(staysOwner && isOwner(member)))
  const removed = ruled.filter(({ project }) => !wanted.some((one) => one.project === project))
  const changed = ruled.flatMap((member) => roleChange(member, wanted))
  const added = wanted
    .filter(({ project }) => !before.some((member) => member.project === project))
    .map(({ project, role }) => ({ id: newId(), organization, project, userId, role, source: 'sso' as const }))
  const isLess = removed.length > 0 || changed.length > 0
  return {
    statements: [
      ...(losesOwner && !staysOwner ? [ownerRemains(userId)] : []),
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
    held: before.length - removed.length + added.length,
  }
}

/** A group may be named like a project that nobody has created, or that was deleted. */
async function withProject(grants: readonly Grant[], db: Database): Promise<Grant[]> {
  const named = grants.flatMap(({ project }) => project ?? [])
  const existing = await existingProjects(db, named)
  return grants.filter(({ project }) => project === null || existing.has(project))
}

function isRuled({ source }: StoredMember): boolean {
  return source === 'sso'
}

function isOwner({ role, project }: StoredMember): boolean {
  return role === 'owner' && project === null
}

function keepsRole({ role, project }: StoredMember, wanted: readonly Grant[]): boolean {
  return wanted.some((one) => one.project === project && one.role === role)
}

async function isAnotherOwner(userId: string, db: Database): Promise<boolean> {
  const { sql, values } = ownerRemains(userId)
  return (await db.query(sql, values)).length > 0
}

function roleChange(member: StoredMember, wanted: readonly Grant[]): { member: StoredMember; role: string }[] {
  const role = wanted.find(({ project }) => project === member.project)?.role
  return role !== undefined && role !== member.role ? [{ member, role }] : []
}

function event(what: string, id: string, before: AuditEvent['before'], after: AuditEvent['after']): AuditEvent {
  return { action: `member.${what}`, object: `member:${id}`, before: before ?? null, after: after ?? null }
}
