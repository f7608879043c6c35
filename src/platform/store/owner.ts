/**
 * What owns content in a project: the project itself, or, where keys do not share, one of its keys or a caller without a key of the
 * store: a subject of an issuer's tokens, a person in the playground, or an operator there.
 */
export type OwnerKind = 'project' | 'key' | 'subject' | 'person' | 'operator'

/** Whose files, jobs, responses, conversations and collections these are. Each member is a column of their tables. */
export type Owner = {
  organization: string
  project: string
  ownerKind: OwnerKind
  /** The id of the project, the key, the subject or the person. */
  ownerId: string
  /** One text for the record, for maps and for equality in SQL. It is made here only and never read. */
  owner: string
}

type ProjectRef = Pick<Owner, 'organization' | 'project'>
type Whose = Pick<Owner, 'project' | 'ownerKind' | 'ownerId'>

export function ownerIn({ organization, project }: ProjectRef, ownerKind: OwnerKind, ownerId: string): Owner {
  return { organization, project, ownerKind, ownerId, owner: ownerKey({ project, ownerKind, ownerId }) }
}

export function projectOwner(ref: ProjectRef): Owner {
  return ownerIn(ref, 'project', ref.project)
}

/** Two records have the same text only if they are the same, whatever their ids look like. A project keeps its owners if it moves. */
export function ownerKey({ project, ownerKind, ownerId }: Whose): string {
  return JSON.stringify([project, ownerKind, ownerId])
}

/** The record without what else the value has, such as that of a caller. */
export function ownerOf({ organization, project, ownerKind, ownerId, owner }: Owner): Owner {
  return { organization, project, ownerKind, ownerId, owner }
}

/** The condition of the indexes by the id of an owner: most content is of projects, which are found by their own column. */
export const NOT_OF_PROJECT = "owner_kind <> 'project'"

/** A condition: content of this key, in any project. */
export function isOfKey(idPlaceholder: string): string {
  return `${NOT_OF_PROJECT} AND owner_kind = 'key' AND owner_id = ${idPlaceholder}`
}

/** Columns of every table with content, in the order of `ownerValues`. */
export const OWNER_COLUMNS = 'project, owner_kind, owner_id, owner, organization'

/** The same with the names of the record. */
export const OWNER_FIELDS = `organization, project, owner_kind AS "ownerKind", owner_id AS "ownerId", owner`

export function ownerValues({ project, ownerKind, ownerId, owner }: Owner): string[] {
  return [project, ownerKind, ownerId, owner]
}

/**
 * The values as SQL, if they begin at this place. The organization is that of the project at this moment: a process may have learned of
 * the project before it went to another organization.
 */
export function ownerPlaceholders(first: number): string {
  const [$project, ...rest] = [0, 1, 2, 3].map((index) => `CAST($${first + index} AS TEXT)`)
  return `${$project}, ${rest.join(', ')}, (SELECT projects.organization FROM projects WHERE projects.id = $${first})`
}

/** A condition on content: what a deleted project has left is removed in the background, and is gone for everyone before that. */
export const NOT_DELETED = `(project IS NULL OR project NOT IN (
  SELECT projects.id FROM projects WHERE projects.deleted_at IS NOT NULL AND projects.purged_at IS NULL))`
