import type { Author } from '../audit/author.ts'
import { audited } from '../audit/audited.ts'
import type {
  CreateOrganizationRequest,
  OrganizationBody,
  OrganizationList,
  UpdateOrganizationRequest,
} from '../../contract/admin/projects.ts'
import { problem } from '../../contract/problems.ts'
import type { Actor } from '../people/actor.ts'
import { may, whereMay } from '../people/may.ts'
import { demand } from '../people/people-services.ts'
import type { Database, Statement } from '../../platform/store/database.ts'
import { memberInsertion } from '../../platform/store/people/members.ts'
import {
  changeOrganization,
  deleteOrganization,
  findOrganization,
  insertOrganization,
  listOrganizations,
  type OrganizationChanges,
  type StoredOrganization,
} from '../../platform/store/projects/organizations.ts'
import { DEFAULT } from '../../platform/store/projects/projects.ts'
import { changedFields } from '../audit/changes.ts'
import { checkClaudeCodeSettings } from './claude-code-settings.ts'
import { shortIds } from './short-id.ts'

// Organizations hold projects. The organization `default` always exists.

type Services = { db: Database; actor: Actor }
/** Changes are in the audit log. */
type ChangeServices = Services & { author: Author; newId(): string }

const MAX_SAME_NAMES = 100

export async function createOrganization(
  { name, id }: CreateOrganizationRequest,
  services: ChangeServices,
): Promise<OrganizationBody> {
  const { db, author } = services
  for (const one of id ? [id] : shortIds(name, MAX_SAME_NAMES)) {
    const owner = firstOwner(one, services)
    const after = { name, ...(owner && { owner: author.actor }) }
    const event = { action: 'organization.create', object: `organization:${one}`, after }
    const created = await insertOrganization(audited(db, author, event), { id: one, name }, owner)
    if (created) return bodyOf(created)
  }
  throw problem('conflict', {
    message: 'An organization has this id, or a deleted organization had it. Choose another id.',
  })
}

/** A role reaches no other organization, so the user who creates one is its first owner. An admin key is an owner everywhere. */
function firstOwner(organization: string, { actor, newId }: ChangeServices): Statement[] | undefined {
  if (actor.kind !== 'user' && actor.kind !== 'service') return undefined
  const membership = { organization, project: null, role: 'owner', source: 'manual' as const }
  return [memberInsertion({ id: newId(), userId: actor.id, ...membership })]
}

export async function readOrganizations(
  page: { limit: number; cursor?: string | undefined },
  { db, actor }: Services,
): Promise<OrganizationList> {
  const where = whereMay(actor, 'organization.read')
  const { items, nextCursor } = await listOrganizations(db, {
    ...page,
    ids: where.all ? undefined : where.organizations,
  })
  return { items: items.map(bodyOf), next_cursor: nextCursor }
}

/** An organization that the asker may not see answers as one that does not exist. */
export async function showOrganization(id: string, services: Services): Promise<OrganizationBody> {
  return bodyOf(await visibleOrganization(id, services))
}

async function visibleOrganization(id: string, { db, actor }: Services): Promise<StoredOrganization> {
  const found = await findOrganization(db, id)
  if (!found || !may(actor, 'organization.read', { organization: id })) throw unknown()
  return found
}

export async function updateOrganization(
  id: string,
  { name, claude_code_settings: claudeCodeSettings }: UpdateOrganizationRequest,
  services: ChangeServices,
): Promise<OrganizationBody> {
  const { db, actor, author } = services
  const before = await visibleOrganization(id, services)
  demand(actor, 'organization.write', { organization: id })
  if (claudeCodeSettings) checkClaudeCodeSettings(claudeCodeSettings)
  const changes: OrganizationChanges = {
    ...(name !== undefined && { name }),
    ...(claudeCodeSettings !== undefined && { claudeCodeSettings }),
  }
  if (Object.keys(changes).length === 0) return bodyOf(before)
  const fields = changedFields({ ...before }, changes)
  const event = { action: 'organization.update', object: `organization:${id}`, ...fields }
  const changed = await changeOrganization(audited(db, author, event), id, changes)
  if (!changed) throw unknown()
  return bodyOf(changed)
}

export async function removeOrganization(id: string, services: ChangeServices): Promise<void> {
  const { db, actor, author } = services
  await showOrganization(id, services)
  demand(actor, 'organization.write', { organization: id })
  if (id === DEFAULT)
    throw problem('conflict', { message: 'The organization `default` runs the installation and cannot be deleted.' })
  const event = { action: 'organization.delete', object: `organization:${id}` }
  if (await deleteOrganization(audited(db, author, event), id)) return
  if (!(await findOrganization(db, id))) throw unknown()
  throw problem('conflict', { message: 'This organization has projects. Move or delete them first.' })
}

function unknown() {
  return problem('not_found', { message: 'There is no such organization.' })
}

function bodyOf({ id, name, claudeCodeSettings, createdAt }: StoredOrganization): OrganizationBody {
  return { id, name, claude_code_settings: claudeCodeSettings, created_at: new Date(createdAt).toISOString() }
}
