import type { Role } from '../../contract/admin/roles.ts'
import { findOrganization } from '../../platform/store/projects/organizations.ts'
import { findProject } from '../../platform/store/projects/projects.ts'
import type { Actor } from './actor.ts'
import { mayGrant, type RoleScope } from './grants.ts'
import { homeOf, INSTALLATION, may } from './may.ts'
import { demand, invalid, notYours, type PeopleServices } from './people-services.ts'
import type { Permission } from './roles.ts'

/** Throws if the actor gives, takes or touches a role that can do more than the actor. */
export function demandGrant(actor: Actor, role: Role, scope: RoleScope): void {
  if (!mayGrant(actor, role, scope))
    throw notYours(`You cannot give or change the role ${role}: it can do more than you.`)
}

type Named = { organization?: string | null | undefined; project?: string | null | undefined }

/** Where something new belongs: to a project that exists, to the organization that is named, or to that of the actor. */
export async function readScope(
  { organization, project }: Named,
  permission: Permission,
  { db, actor }: Pick<PeopleServices, 'db' | 'actor'>,
): Promise<RoleScope> {
  if (!project) return { organization: organization ?? homeOf(actor, permission), project: null }
  const found = await findProject(db, project)
  if (!found || found.deletedAt !== null) throw unknownProject(actor, permission)
  demand(actor, permission, { organization: found.organization, project })
  if (organization && organization !== found.organization)
    throw invalid('organization', 'The project belongs to another organization')
  return { organization: found.organization, project }
}

/** An actor without rights on the installation gets the same answer as for a project of another organization. */
function unknownProject(actor: Actor, permission: Permission) {
  return may(actor, permission, INSTALLATION) ? invalid('project', 'There is no such project') : notYours()
}

/**
 * Comes after the check of the actor's rights, so that an actor without rights does not find out which organizations there
 * are.
 */
export async function checkOrganization(
  { organization }: RoleScope,
  { db }: Pick<PeopleServices, 'db'>,
): Promise<void> {
  if (!(await findOrganization(db, organization))) throw invalid('organization', 'There is no such organization')
}
