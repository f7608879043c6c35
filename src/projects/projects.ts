import type { KeyCache } from '../access/key-cache.ts'
import { checkPolicy } from '../access/check-policy.ts'
import { withoutNulls } from '../access/policy.ts'
import type {
  CreateProjectRequest,
  ProjectBody,
  ProjectList,
  UpdateProjectRequest,
} from '../contract/admin/projects.ts'
import { problem } from '../contract/problems.ts'
import type { Database, Statement } from '../store/database.ts'
import { changeProject, type ProjectChanges } from '../store/projects/change-project.ts'
import { findOrganization, hasSeveralOrganizations } from '../store/projects/organizations.ts'
import {
  DEFAULT,
  findProject,
  insertProject,
  listProjects,
  type NewProject,
  PERSONAL,
  type ProjectQuery,
  type StoredProject,
} from '../store/projects/projects.ts'
import { fieldRefused } from './field-refused.ts'
import { shortIds } from './short-id.ts'

// Creates, shows and changes projects. Deleting one is in delete-project.ts.

export type ProjectContext = { db: Database; keyCache: Pick<KeyCache, 'refresh'> }

const MAX_SAME_NAMES = 100

export async function createProject(
  request: CreateProjectRequest,
  { db }: ProjectContext,
  extra?: readonly Statement[],
): Promise<ProjectBody> {
  const { name, id, organization, share, region, policy } = request
  if (policy) checkPolicy(policy)
  if (organization) await checkOrganization(organization, db)
  const project: Omit<NewProject, 'id'> = {
    ...{ name, organization: organization ?? DEFAULT, share: share ?? 'project', region: region ?? null },
    policy: policy ? withoutNulls(policy) : null,
  }
  for (const one of id ? [id] : shortIds(name, MAX_SAME_NAMES)) {
    const created = await insertProject(db, { id: one, ...project }, extra)
    if (created) return await bodyOf(created, db)
  }
  throw problem('conflict', { message: 'There is or was a project with this id.' })
}

export async function readProjects(page: ProjectQuery, { db }: ProjectContext): Promise<ProjectList> {
  const { items, nextCursor } = await listProjects(db, page)
  const hasSeveral = await hasSeveralOrganizations(db)
  return { items: items.map((project) => toBody(project, hasSeveral)), next_cursor: nextCursor }
}

export async function showProject(id: string, { db }: ProjectContext): Promise<ProjectBody> {
  return await bodyOf(await existingProject(id, db), db)
}

/** Takes effect here at once. Other processes learn of it within two seconds, with their next look at changed keys. */
export async function updateProject(
  id: string,
  request: UpdateProjectRequest,
  { db, keyCache }: ProjectContext,
  extra?: readonly Statement[],
): Promise<ProjectBody> {
  if (request.policy) checkPolicy(request.policy)
  if (request.organization) await checkOrganization(request.organization, db)
  const before = await existingProject(id, db)
  const changes = changesIn(request, before)
  if (changes.share && [PERSONAL, DEFAULT].includes(id))
    throw problem('conflict', { message: `The sharing mode of the project '${id}' cannot be changed.` })
  const changed = await changeProject(db, id, changes, extra)
  if (!changed) throw await whyUnchanged(id, db)
  await keyCache.refresh()
  return await bodyOf(changed, db)
}

/** A project that was deleted is unknown. */
export async function existingProject(id: string, db: Database): Promise<StoredProject> {
  const found = await findProject(db, id)
  if (!found || found.deletedAt !== null) throw problem('not_found', { message: 'There is no such project.' })
  return found
}

function changesIn(request: UpdateProjectRequest, before: StoredProject): ProjectChanges {
  const { name, organization, share, region, policy } = request
  return {
    ...(name !== undefined && { name }),
    ...(organization !== undefined && { organization }),
    ...(share !== undefined && share !== before.share && { share }),
    ...(region !== undefined && { region }),
    ...(policy !== undefined && { policy: policy && withoutNulls(policy) }),
  }
}

async function whyUnchanged(id: string, db: Database) {
  await existingProject(id, db)
  const message = 'This project has stored files, jobs or responses. Delete them before you change who can see them.'
  return problem('conflict', { message })
}

async function checkOrganization(id: string, db: Database): Promise<void> {
  if (!(await findOrganization(db, id))) throw fieldRefused('organization', 'There is no such organization')
}

async function bodyOf(project: StoredProject, db: Database): Promise<ProjectBody> {
  return toBody(project, await hasSeveralOrganizations(db))
}

function toBody(project: StoredProject, showsOrganization: boolean): ProjectBody {
  const { id, name, organization, share, region, policy, createdAt, updatedAt } = project
  return {
    ...{ id, name, ...(showsOrganization && { organization }), share, region: region as ProjectBody['region'], policy },
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  }
}
