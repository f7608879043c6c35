import type { Author, Via } from '../audit/author.ts'
import type { Role } from '../../contract/admin/roles.ts'

/** A role on an organization (`project` is null) or on a project. */
export type Membership = { organization: string; project: string | null; role: Role }

/** Who asks for something on the admin listener, or on the machine itself, and what they hold. */
export type Actor = {
  kind: 'admin_key' | 'user' | 'service' | 'cli' | 'config'
  id: string
  name: string
  memberships: readonly Membership[]
  via: Via
  /** The session of a person who has signed in. */
  session?: string | undefined
  /** The id of the management key of a service account that asks with one. */
  managementKey?: string | undefined
}

/** Stands for all organizations. No organization has this id. */
export const EVERY_ORGANIZATION = '*'

/** The admin key, and the command line on the machine, have the rights of an owner of every organization. */
const OWNER_RIGHTS: readonly Membership[] = [{ organization: EVERY_ORGANIZATION, project: null, role: 'owner' }]

/** `id` is undefined for the key of the environment. */
export function adminKeyActor(id?: string): Actor {
  return { kind: 'admin_key', id: id ?? 'environment', name: 'admin key', memberships: OWNER_RIGHTS, via: 'admin_key' }
}

export const CLI_ACTOR: Actor = { kind: 'cli', id: 'cli', name: 'command line', memberships: OWNER_RIGHTS, via: 'cli' }

/** What the audit log says about an actor. */
export function authorOf(
  { kind, id, via, managementKey }: Actor,
  where: Partial<Pick<Author, 'ip' | 'request'>> = {},
): Author {
  const actor = managementKey === undefined ? actorName(kind, id) : `management_key:${managementKey}`
  return { actor, via, ip: where.ip ?? null, request: where.request ?? null }
}

function actorName(kind: Actor['kind'], id: string): string {
  if (kind === 'cli' || kind === 'config') return kind
  if (kind === 'admin_key') return id === 'environment' ? 'admin_key' : `admin_key:${id}`
  return `${kind}:${id}`
}
