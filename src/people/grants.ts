import type { Role } from '../contract/admin/roles.ts'
import type { Actor, Membership } from './actor.ts'
import { PERMISSION_NAMES, type Permission, type Reach, rowOf } from './roles.ts'

/**
 * Nobody gives a role that could do more than they can do themselves, there: every right of the role has to be a right of the
 * actor, with at least the same reach.
 */
export function mayGrant(actor: Actor, role: Role, project: string | null): boolean {
  return PERMISSION_NAMES.every((permission) => {
    const needed = reachAt([{ organization: '', project, role }], permission, project)
    return needed === undefined || isEnough(reachAt(actor.memberships, permission, project), needed)
  })
}

/** The best reach that roles have over the things of a project, or of the organization. */
function reachAt(
  memberships: readonly Membership[],
  permission: Permission,
  project: string | null,
): Reach | undefined {
  const { place, roles } = rowOf(permission)
  const reaches = memberships
    .filter((held) => held.project === null || (place === 'project' && held.project === project))
    .map(({ role }) => roles[role])
  return reaches.includes('all') ? 'all' : reaches.find((reach) => reach === 'own')
}

function isEnough(held: Reach | undefined, needed: Reach): boolean {
  return held === 'all' || held === needed
}
