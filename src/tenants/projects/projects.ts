import type { KeyCache } from '../access/key-cache.ts'
import { withoutNulls } from '../access/policy.ts'
import type { Author } from '../audit/author.ts'
import { changedFields } from '../audit/changes.ts'
import { audited } from '../audit/audited.ts'
import type {
  CreateProjectRequest,
  ProjectBody,
  ProjectList,
  UpdateProjectRequest,
} from '../../contract/admin/projects.ts'
import type { ContentSettings } from '../../contract/admin/content.ts'
import { problem } from '../../contract/problems.ts'
import type { Actor } from '../people/actor.ts'
import { homeOf, INSTALLATION, may, type Owned, whereMay } from '../people/may.ts'
import { demand, notYours } from '../people/people-services.ts'
import type { Database } from '../../platform/store/database.ts'
import { changeProject, type ProjectChanges } from '../../platform/store/projects/change-project.ts'
import { findOrganization, hasSeveralOrganizations } from '../../platform/store/projects/organizations.ts'
import {
  DEFAULT,
  findProject,
  insertProject,
  listProjects,
  type NewProject,
  PERSONAL,
  type ProjectQuery,
  type StoredProject,
} from '../../platform/store/projects/projects.ts'
import { checkClaudeCodeSettings } from './claude-code-settings.ts'
import { fieldRefused } from './field-refused.ts'
import { shortIds, unguessableId } from './short-id.ts'

// Creates, shows and changes projects. Deleting one is in delete-project.ts.

/** Who asks: managers and members see their projects. */
export type ProjectServices = {
  db: Database
  keyCache: Pick<KeyCache, 'refresh'>
  /** How this process learns that content is kept; absent where no calls are answered. */
  contents?: { refresh(): Promise<void> }
  actor: Actor
  author: Author
}

const MAX_SAME_NAMES = 100

export async function createProject(
  request: CreateProjectRequest,
  { db, actor, author }: ProjectServices,
): Promise<ProjectBody> {
  const { name, id, share, region, policy } = request
  const organization = request.organization ?? homeOf(actor, 'projects.create')
  demand(actor, 'projects.create', { organization })
  if (id) demandChoice(actor)
  await checkOrganization(organization, db)
  const project: Omit<NewProject, 'id'> = {
    name,
    organization,
    share: share ?? 'project',
    region: region ?? null,
    policy: policy ? withoutNulls(policy) : null,
  }
  for (const one of id ? [id] : newIds(name, organization)) {
    const event = { action: 'project.create', object: `project:${one}`, after: project }
    const created = await insertProject(audited(db, author, event), { id: one, ...project })
    if (created) return await bodyOf(created, db)
  }
  await checkOrganization(organization, db)
  throw problem('conflict', { message: 'A project has this id, or a deleted project had it. Choose another id.' })
}

/**
 * Ids of projects are unique in the whole installation, and an id that is taken is refused. So that this does not tell which
 * projects another organization has, only admins of the installation choose ids, and ids of other organizations are never
 * guessed.
 */
function demandChoice(actor: Actor): void {
  if (!may(actor, 'projects.create', INSTALLATION))
    throw notYours('Your role does not let you choose the id. Leave it out: the gateway generates it.')
}

function newIds(name: string, organization: string): Iterable<string> {
  return organization === DEFAULT ? shortIds(name, MAX_SAME_NAMES) : [unguessableId(name)]
}

export async function readProjects(page: ProjectQuery, { db, actor }: ProjectServices): Promise<ProjectList> {
  const where = whereMay(actor, 'projects.read')
  const { items, nextCursor } = await listProjects(db, { ...page, reach: where.all ? undefined : where })
  const hasSeveral = await hasSeveralOrganizations(db)
  return { items: items.map((project) => toBody(project, hasSeveral)), next_cursor: nextCursor }
}

export async function showProject(id: string, { db, actor }: ProjectServices): Promise<ProjectBody> {
  return await bodyOf(await visibleProject(id, db, actor), db)
}

/** Takes effect here at once. Other processes learn of it within two seconds, with their next look at changed keys. */
export async function updateProject(
  id: string,
  request: UpdateProjectRequest,
  { db, keyCache, contents, actor, author }: ProjectServices,
): Promise<ProjectBody> {
  const before = await visibleProject(id, db, actor)
  demandChange(actor, before, request)
  if (request.claude_code_settings) checkClaudeCodeSettings(request.claude_code_settings)
  if (request.organization) await checkOrganization(request.organization, db)
  const changes = changesIn(request, before)
  if (changes.share && [PERSONAL, DEFAULT].includes(id))
    throw problem('conflict', {
      message: `'${id}' is a built-in project, and its sharing mode cannot be changed. Create a project of your own.`,
    })
  const event = { action: 'project.update', object: `project:${id}`, ...changedFields({ ...before }, changes) }
  const changed = await changeProject(audited(db, author, event), id, changes)
  if (!changed) throw await whyUnchanged(id, request, db)
  await keyCache.refresh()
  if (changes.content !== undefined) await contents?.refresh()
  return await bodyOf(changed, db)
}

/**
 * What only an actor with a role on the organization may change: a manager of a project must not lift what the organization
 * has set, nor name programs that run on the machines of people.
 */
const OF_ORGANIZATION = ['organization', 'share', 'region', 'policy', 'content', 'claude_code_settings'] as const

function demandChange(actor: Actor, project: StoredProject, request: UpdateProjectRequest): void {
  const { organization } = project
  demand(actor, 'projects.write', projectScope(project))
  const named = OF_ORGANIZATION.find((field) => request[field] !== undefined)
  const places = [organization, ...(request.organization ? [request.organization] : [])]
  const isRefused = places.some((one) => !may(actor, 'projects.create', { organization: one }))
  if (named && isRefused) throw notYours(`Your role does not let you set ${named}.`)
}

export function projectScope({ id, organization }: Pick<StoredProject, 'id' | 'organization'>): Owned {
  return { organization, project: id }
}

/** A project that the asker may not see answers as one that does not exist. */
export async function visibleProject(id: string, db: Database, actor: Actor): Promise<StoredProject> {
  const project = await existingProject(id, db)
  if (!may(actor, 'projects.read', projectScope(project))) throw unknownProject()
  return project
}

/** A project that was deleted is unknown. */
export async function existingProject(id: string, db: Database): Promise<StoredProject> {
  const found = await findProject(db, id)
  if (!found || found.deletedAt !== null) throw unknownProject()
  return found
}

function unknownProject() {
  return problem('not_found', { message: 'There is no such project.' })
}

function changesIn(request: UpdateProjectRequest, before: StoredProject): ProjectChanges {
  const { name, organization, share, region, policy, content, claude_code_settings: claudeCodeSettings } = request
  return {
    ...(name !== undefined && { name }),
    ...(organization !== undefined && { organization }),
    ...(share !== undefined && share !== before.share && { share }),
    ...(region !== undefined && { region }),
    ...(policy !== undefined && { policy: policy && withoutNulls(policy) }),
    ...(content !== undefined && { content: content && saysNothing(content) ? null : content }),
    ...(claudeCodeSettings !== undefined && { claudeCodeSettings }),
  }
}

/** A project that keeps nothing may still let its managers read what is in jobs and webhooks. */
function saysNothing({ mode, managers_read }: ContentSettings): boolean {
  return mode === 'off' && managers_read !== true
}

async function whyUnchanged(id: string, { organization }: UpdateProjectRequest, db: Database) {
  await existingProject(id, db)
  if (organization) await checkOrganization(organization, db)
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
  const { id, name, organization, share, region, policy, content, claudeCodeSettings, createdAt, updatedAt } = project
  return {
    id,
    name,
    ...(showsOrganization && { organization }),
    share,
    region: region as ProjectBody['region'],
    policy,
    content: content ?? { mode: 'off' },
    claude_code_settings: claudeCodeSettings,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  }
}
