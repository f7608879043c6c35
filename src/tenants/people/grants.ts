import type { Role } from '../../contract/admin/roles.ts'
import type { Actor, Membership } from './actor.ts'
import { isOn, extentOf } from './may.ts'
import { PERMISSION_NAMES, type Permission, type Extent } from './roles.ts'

/** Where a role is held: on an organization, or on a project of it. */
export type RoleScope = { organization: string; project: string | null }

/** Each of these stands above the ones before it, also where it can do no more than they: on a project, an owner is a manager. */
const LADDER: readonly Role[] = ['member', 'manager', 'admin', 'owner']

/**
 * An actor cannot give a role that stands above their own role in that scope, or that could do more than they can do there:
 * every right of the role has to be a right of the actor, to at least the same extent.
 */
export function mayGrant(actor: Actor, role: Role, scope: RoleScope): boolean {
  return hasRightsOf(actor, [{ ...scope, role }], scope)
}

/**
 * Whether an actor stands as high, and can do as much, as all of these roles that hold in a scope. No actor
 * acts in the name of a user who stands above them there.
 */
export function hasRightsOf(
  actor: Pick<Actor, 'memberships'>,
  others: readonly Membership[],
  scope: RoleScope,
): boolean {
  const memberships = actor.memberships.filter((one) => holdsAt(one, scope))
  return others.filter((one) => holdsAt(one, scope)).every((other) => isCovered(other, memberships))
}

function isCovered(other: Membership, memberships: readonly Membership[]): boolean {
  if (!memberships.some((one) => rankOf(one.role) >= rankOf(other.role))) return false
  return PERMISSION_NAMES.every((permission) => {
    const needed = extentOf(other, permission)
    return needed === undefined || isEnough(widestExtent(memberships, permission), needed)
  })
}

/** Whether both lists of roles allow the same there. A role on the organization may already give all that one on a project does. */
export function haveSameRights(old: readonly Membership[], current: readonly Membership[], scope: RoleScope): boolean {
  const before = old.filter((one) => holdsAt(one, scope))
  const after = current.filter((one) => holdsAt(one, scope))
  const isSame = (permission: Permission) => widestExtent(before, permission) === widestExtent(after, permission)
  return highestRank(before) === highestRank(after) && PERMISSION_NAMES.every(isSame)
}

function holdsAt(membership: Membership, scope: RoleScope): boolean {
  return membership.project === null ? isOn(membership, scope.organization) : membership.project === scope.project
}

function highestRank(memberships: readonly Membership[]): number {
  return Math.max(...memberships.map(({ role }) => rankOf(role)))
}

/** Roles that only look stand beside the ladder. */
function rankOf(role: Role): number {
  return LADDER.indexOf(role)
}

function widestExtent(memberships: readonly Membership[], permission: Permission): Extent | undefined {
  const extents = memberships.map((one) => extentOf(one, permission))
  return extents.includes('all') ? 'all' : extents.find((extent) => extent === 'own')
}

function isEnough(granted: Extent | undefined, needed: Extent): boolean {
  return granted === 'all' || granted === needed
}
