import type { Role } from '../contract/admin/roles.ts'
import type { Actor, Membership } from './actor.ts'
import { isOn, reachOf } from './may.ts'
import { PERMISSION_NAMES, type Permission, type Reach } from './roles.ts'

/** Where a role is held: on an organization, or on a project of it. */
export type Place = { organization: string; project: string | null }

/** Each of these stands above the ones before it, also where it can do no more than they: on a project, an owner is a manager. */
const LADDER: readonly Role[] = ['member', 'manager', 'admin', 'owner']

/**
 * Nobody gives a role that stands above their own, or that could do more than they can do themselves, there: every right of
 * the role has to be a right of the actor, with at least the same reach.
 */
export function mayGrant(actor: Actor, role: Role, place: Place): boolean {
  const held = actor.memberships.filter((one) => holdsAt(one, place))
  if (!held.some((one) => rankOf(one.role) >= rankOf(role))) return false
  return PERMISSION_NAMES.every((permission) => {
    const needed = reachOf({ ...place, role }, permission)
    return needed === undefined || isEnough(bestReach(held, permission), needed)
  })
}

function holdsAt(held: Membership, place: Place): boolean {
  return held.project === null ? isOn(held, place.organization) : held.project === place.project
}

/** Roles that only look stand beside the ladder. */
function rankOf(role: Role): number {
  return LADDER.indexOf(role)
}

function bestReach(held: readonly Membership[], permission: Permission): Reach | undefined {
  const reaches = held.map((one) => reachOf(one, permission))
  return reaches.includes('all') ? 'all' : reaches.find((reach) => reach === 'own')
}

function isEnough(held: Reach | undefined, needed: Reach): boolean {
  return held === 'all' || held === needed
}
