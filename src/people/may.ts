import type { Actor, Membership } from './actor.ts'
import type { Own, Reach } from '../store/people/reach.ts'
import { type Permission, type Reach as RoleReach, rowOf } from './roles.ts'

/** What somebody wants to do something with. An object without a project belongs to the whole organization. */
export type Owned = {
  organization?: string | undefined
  project?: string | null | undefined
  /** The user whose own thing it is. */
  user?: string | null | undefined
}

/** The one answer to whether an actor may do something. */
export function may(actor: Actor, permission: Permission, object: Owned = {}): boolean {
  return actor.memberships.some((held) => covers(held, object) && grants(actor, held, permission, object))
}

function covers({ organization, project }: Membership, object: Owned): boolean {
  if (object.organization !== undefined && object.organization !== organization) return false
  return project === null || project === object.project
}

function grants(actor: Actor, { role, project }: Membership, permission: Permission, object: Owned): boolean {
  const { place, roles } = rowOf(permission)
  if (place === 'organization' && project !== null) return false
  return roles[role] === 'all' || (roles[role] === 'own' && isOwn(actor, object))
}

function isOwn({ kind, id }: Actor, { user }: Owned): boolean {
  return (kind === 'user' || kind === 'service') && user === id
}

/** Where an actor may do something: everywhere, or in these projects, and with own things in others. */
export type Where = { all: true } | ({ all: false } & Reach)

/** What a list is limited to; undefined if it is not limited. */
export function reachIn(actor: Actor, permission: Permission): Reach | undefined {
  const where = whereMay(actor, permission)
  return where.all ? undefined : where
}

/** For lists: which part of them an actor may see. */
export function whereMay(actor: Actor, permission: Permission): Where {
  const held = (reach: RoleReach) => actor.memberships.filter((one) => reachOf(one, permission) === reach)
  if (held('all').some(({ project }) => project === null)) return { all: true }
  const projects = held('all').flatMap(({ project }) => project ?? [])
  return { all: false, projects, own: ownOf(actor, held('own')) }
}

/** Whether there is anything that the actor may do this with. */
export function mayAnything(actor: Actor, permission: Permission): boolean {
  const where = whereMay(actor, permission)
  return where.all || where.projects.length > 0 || where.own !== undefined
}

function reachOf({ role, project }: Membership, permission: Permission): RoleReach | undefined {
  const { place, roles } = rowOf(permission)
  return place === 'organization' && project !== null ? undefined : roles[role]
}

function ownOf({ id }: Actor, memberships: readonly Membership[]): Own | undefined {
  if (memberships.length === 0) return undefined
  const isEverywhere = memberships.some(({ project }) => project === null)
  return { user: id, projects: isEverywhere ? 'all' : memberships.flatMap(({ project }) => project ?? []) }
}
