import type { Role } from '../contract/admin/roles.ts'
import { findProject } from '../store/projects/projects.ts'
import type { Actor } from './actor.ts'
import { mayGrant } from './grants.ts'
import { invalid, notYours, type PeopleContext } from './people-context.ts'

/** Throws if the actor gives, takes or touches a role that can do more than the actor. */
export function demandGrant(actor: Actor, role: Role, project: string | null): void {
  if (!mayGrant(actor, role, project))
    throw notYours(`You cannot give or change the role ${role}: it can do more than you.`)
}

/** A role can only be given on a project that exists. */
export async function checkProject(project: string | null, { db }: Pick<PeopleContext, 'db'>): Promise<void> {
  if (project === null) return
  const found = await findProject(db, project)
  if (!found || found.deletedAt !== null) throw invalid('project', 'There is no such project')
}
