import type { Database } from '../../platform/store/database.ts'
import { DEFAULT_ORGANIZATION, type Own, type Reach } from '../../platform/store/people/reach.ts'
import { areAllOrganizations } from '../../platform/store/projects/organizations.ts'
import { type Actor, EVERY_ORGANIZATION, type Membership } from './actor.ts'
import { type InstallationPermission, type Permission, type Extent, rowOf } from './roles.ts'

/** The object of an action. An object without a project belongs to the whole organization. */
export type Owned = {
  organization: string
  project?: string | null | undefined
  /** The user whose own thing it is. */
  user?: string | null | undefined
}

/** What belongs to no organization. */
export const INSTALLATION: Owned = { organization: DEFAULT_ORGANIZATION }

/** The one answer to whether an actor may do something. */
export function may(actor: Actor, permission: InstallationPermission): boolean
export function may(actor: Actor, permission: Permission, object: Owned): boolean
export function may(actor: Actor, permission: Permission, object: Owned = INSTALLATION): boolean {
  return actor.memberships.some((membership) => {
    const extent = covers(membership, object) ? extentOf(membership, permission) : undefined
    return extent === 'all' || (extent === 'own' && isOwn(actor, object))
  })
}

/** The ids of projects are unique in the installation, also if a project goes to another organization. */
function covers(membership: Membership, object: Owned): boolean {
  return membership.project === null ? isOn(membership, object.organization) : membership.project === object.project
}

/** Whether a role on an organization is one on this organization. */
export function isOn(membership: Membership, organization: string): boolean {
  return membership.organization === organization || membership.organization === EVERY_ORGANIZATION
}

function isOwn({ kind, id }: Actor, { user }: Owned): boolean {
  return (kind === 'user' || kind === 'service') && user === id
}

/** How far a role reaches where it is held; undefined if it does not allow this there. */
export function extentOf(membership: Membership, permission: Permission): Extent | undefined {
  const { level, roles } = rowOf(permission)
  if (level !== 'project' && membership.project !== null) return undefined
  if (level === 'installation' && !isOn(membership, DEFAULT_ORGANIZATION)) return undefined
  return roles[membership.role]
}

/** Where an actor may do something: everywhere, or in these organizations and projects, and with own things in others. */
type Where = { all: true } | ({ all: false } & Reach)

/** For lists: which part of them an actor may see. */
export function whereMay(actor: Actor, permission: Permission): Where {
  const membershipsWith = (extent: Extent) => actor.memberships.filter((one) => extentOf(one, permission) === extent)
  const { organizations, projects } = scopesIn(membershipsWith('all'))
  if (organizations.includes(EVERY_ORGANIZATION)) return { all: true }
  return { all: false, organizations, projects, own: ownOf(actor, membershipsWith('own')) }
}

/** What a list is limited to; undefined if it is not limited, as where a role on the only organization is enough for all of it. */
export async function reachIn(actor: Actor, permission: Permission, db: Database): Promise<Reach | undefined> {
  const where = whereMay(actor, permission)
  if (where.all || (await areAllOrganizations(db, where.organizations))) return undefined
  return where
}

/** Whether there is anything that the actor may do this with. */
export function mayAnything(actor: Actor, permission: Permission): boolean {
  return actor.memberships.some((membership) => extentOf(membership, permission) !== undefined)
}

/** The organization of something new that names none: the one in which the actor may do this, if that is not `default`. */
export function homeOf(actor: Actor, permission: Permission): string {
  const where = whereMay(actor, permission)
  if (where.all || where.organizations.includes(DEFAULT_ORGANIZATION)) return DEFAULT_ORGANIZATION
  return where.organizations[0] ?? DEFAULT_ORGANIZATION
}

function scopesIn(memberships: readonly Membership[]): { organizations: string[]; projects: string[] } {
  return {
    organizations: memberships.flatMap(({ organization, project }) => (project === null ? [organization] : [])),
    projects: memberships.flatMap(({ project }) => project ?? []),
  }
}

function ownOf({ id }: Actor, memberships: readonly Membership[]): Own | undefined {
  return memberships.length === 0 ? undefined : { user: id, ...scopesIn(memberships) }
}
