import type { Author } from '../audit/author.ts'
import { recorded } from '../audit/record.ts'
import type {
  CreateOrganizationRequest,
  OrganizationBody,
  OrganizationList,
  UpdateOrganizationRequest,
} from '../contract/admin/projects.ts'
import { problem } from '../contract/problems.ts'
import type { Database } from '../store/database.ts'
import {
  deleteOrganization,
  findOrganization,
  insertOrganization,
  listOrganizations,
  renameOrganization,
  type StoredOrganization,
} from '../store/projects/organizations.ts'
import { DEFAULT } from '../store/projects/projects.ts'
import { shortIds } from './short-id.ts'

// Organizations hold projects. The organization `default` always exists.

type Context = { db: Database }
/** Changes are in the audit log. */
type ChangeContext = Context & { author: Author }

const MAX_SAME_NAMES = 100

export async function createOrganization(
  { name, id }: CreateOrganizationRequest,
  { db, author }: ChangeContext,
): Promise<OrganizationBody> {
  for (const one of id ? [id] : shortIds(name, MAX_SAME_NAMES)) {
    const event = { action: 'organization.create', object: `organization:${one}`, after: { name } }
    const created = await insertOrganization(recorded(db, author, event), { id: one, name })
    if (created) return bodyOf(created)
  }
  throw problem('conflict', { message: 'There is an organization with this id.' })
}

export async function readOrganizations(
  page: { limit: number; cursor?: string | undefined },
  { db }: Context,
): Promise<OrganizationList> {
  const { items, nextCursor } = await listOrganizations(db, page)
  return { items: items.map(bodyOf), next_cursor: nextCursor }
}

export async function showOrganization(id: string, { db }: Context): Promise<OrganizationBody> {
  const found = await findOrganization(db, id)
  if (!found) throw unknown()
  return bodyOf(found)
}

export async function updateOrganization(
  id: string,
  { name }: UpdateOrganizationRequest,
  context: ChangeContext,
): Promise<OrganizationBody> {
  const before = await showOrganization(id, context)
  if (name === undefined) return before
  const changes = { before: { name: before.name }, after: { name } }
  const event = { action: 'organization.update', object: `organization:${id}`, ...changes }
  const renamed = await renameOrganization(recorded(context.db, context.author, event), { id, name })
  if (!renamed) throw unknown()
  return bodyOf(renamed)
}

export async function removeOrganization(id: string, { db, author }: ChangeContext): Promise<void> {
  if (id === DEFAULT) throw problem('conflict', { message: 'The organization `default` cannot be deleted.' })
  const event = { action: 'organization.delete', object: `organization:${id}` }
  if (await deleteOrganization(recorded(db, author, event), id)) return
  if (!(await findOrganization(db, id))) throw unknown()
  throw problem('conflict', { message: 'This organization has projects. Move or delete them first.' })
}

function unknown() {
  return problem('not_found', { message: 'There is no such organization.' })
}

function bodyOf({ id, name, createdAt }: StoredOrganization): OrganizationBody {
  return { id, name, created_at: new Date(createdAt).toISOString() }
}
