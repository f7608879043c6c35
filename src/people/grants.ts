import type { Role } from '../contract/admin/roles.ts'
import type { Actor, Membership } from './actor.ts'
import { isOn, reachOf } from './may.ts'
import { PERMISSION_NAMES, type Permission, type Reach } from './roles.ts'

/** Where a role is held: on an organization, or on a project of it. */
export type Place = { organization: string; project: string | null }

/**
 * Nobody gives a role that could do more than they can do themselves, there: every right of the role has to be a right of the
 * actor, with at least the same reach.
 */
export function mayGrant(actor: Actor, role: Role, place: Place): boolean {
  return PERMISSION_NAMES.every((permission) => {
    const needed = reachOf({ ...place, role }, permission)
    return needed === undefined || isEnough(reachAt(actor.memberships, permission, place), needed)
  })
}

/** The best reach that roles have over the things of a project, or of the organization. */
function reachAt(memberships: readonly Membership[], permission: Permission, place: Place): Reach | undefined {
  const reaches = memberships
    .filter((held) => (held.project === null ? isOn(held, place.organization) : held.project === place.project))
    .map((held) => reachOf(held, permission))
  return reaches.includes('all') ? 'all' : reaches.find((reach) => reach === 'own')
}

function isEnough(held: Reach | undefined, needed: Reach): boolean {
  return held === 'all' || held === needed
}
