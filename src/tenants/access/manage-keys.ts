import type {
  CreatedKey,
  CreateKeyRequest,
  KeyFilters,
  KeyList,
  KeySummary,
  PreviewKeyRequest,
  RotateKeyRequest,
  UpdateKeyRequest,
} from '../../contract/admin/keys.ts'
import type { RecordKeyRequest } from '../../contract/admin/content.ts'
import { problem } from '../../contract/problems.ts'
import type { Actor } from '../people/actor.ts'
import { DEFAULT_ORGANIZATION } from '../../platform/store/people/reach.ts'
import { mayGrant } from '../people/grants.ts'
import { INSTALLATION, may, type Owned, reachIn } from '../people/may.ts'
import { invalid, notYours } from '../people/people-services.ts'
import type { Permission } from '../people/roles.ts'
import type { Database } from '../../platform/store/database.ts'
import { findKey, type StoredKey } from '../../platform/store/keys/keys.ts'
import { membershipsOf } from '../../platform/store/people/members.ts'
import { findProject, PERSONAL } from '../../platform/store/projects/projects.ts'
import type { Caller } from './caller.ts'
import { demandHandover, demandReadable, demandStanding } from './key-content.ts'
import { keyAssignment } from './key-assignment.ts'
import { callerOfDraft } from './preview-key.ts'
import {
  type ChangeServices,
  issueKey,
  type KeyAuthor,
  type KeyDemands,
  type KeyServices,
  listIssued,
  recordIssued,
  revokeIssued,
  rotateIssued,
  showIssued,
  updateIssued,
} from './keys.ts'
import { toCaller } from './cached-key.ts'

// Keys as the roles allow it: a member has own keys in the project, a manager all keys of the project.

type By = { actor: Actor }
type Services = KeyServices & ChangeServices & KeyAuthor & KeyDemands & By

/** Fields that say whose key it is and what it may do beyond its project. Who may only have own keys cannot set them. */
const NOT_FOR_OWN = ['owner', 'user', 'policy'] as const

export async function issueKeyAs(request: CreateKeyRequest, services: Services): Promise<CreatedKey> {
  const { actor, db } = services
  if (may(actor, 'keys.write', INSTALLATION)) return await issueAnywhere(request, services)
  // Another owner would open the files of another project.
  if (request.owner) throw notYours('Your role does not let you set owner. Name the project instead.')
  const project = request.project ?? onlyProject(actor) ?? PERSONAL
  const ownership = await projectOwnership(project, db)
  if (may(actor, 'keys.write', ownership)) {
    await checkHolder(request.user ?? null, ownership, db)
    await demandHandover({ user: request.user ?? null, ...ownership }, services)
    return await issueKey({ ...request, project }, services)
  }
  if (!may(actor, 'keys.write', { ...ownership, user: actor.id })) throw notYours()
  refuseFields({ ...request, ...(request.user === actor.id && { user: null }) }, (value) => value !== null)
  return await issueKey({ ...request, project, user: actor.id }, services)
}

/** An admin of the installation may name an owner that does not exist yet, but not one of another organization. */
async function issueAnywhere(request: CreateKeyRequest, services: Services): Promise<CreatedKey> {
  const { project } = await keyAssignment(request, services.db)
  const ownership = await projectOwnership(project, services.db)
  if (!may(services.actor, 'keys.write', ownership)) throw notYours()
  await demandHandover({ user: request.user ?? null, ...ownership }, services)
  return await issueKey(request, services)
}

/** A project that does not exist would be one of the organization `default`. */
async function projectOwnership(project: string, db: Database): Promise<KeyOwner> {
  const found = await findProject(db, project)
  return { organization: found?.organization ?? DEFAULT_ORGANIZATION, project }
}

type KeyOwner = { organization: string; project: string }

/** A person who may create a key in a project may also preview what the key could use there. */
export async function previewKeyAs(draft: PreviewKeyRequest, services: Services): Promise<Caller> {
  const { actor, db } = services
  const project = draft.project ?? onlyProject(actor) ?? PERSONAL
  if (!may(actor, 'keys.write', { ...(await projectOwnership(project, db)), user: actor.id })) throw notYours()
  return await callerOfDraft({ ...draft, project }, services)
}

export async function listKeysAs(
  page: KeyFilters & { limit: number; cursor?: string | undefined },
  services: Services,
): Promise<KeyList> {
  return await listIssued({ ...page, reach: await reachIn(services.actor, 'keys.read', services.db) }, services)
}

export async function showKeyAs(id: string, services: Services): Promise<KeySummary> {
  await visibleKey(id, services)
  return await showIssued(id, { ...services, reach: await reachIn(services.actor, 'keys.read', services.db) })
}

/** The caller that a key is. */
export async function visibleCaller(id: string, services: Pick<Services, 'db' | 'actor'>): Promise<Caller> {
  return toCaller(await visibleKey(id, services))
}

export async function updateKeyAs(id: string, request: UpdateKeyRequest, services: Services): Promise<KeySummary> {
  await demandUpdate(id, request, services)
  return await updateIssued(id, request, services)
}

/** Throws unless the asker may change these fields of the key. */
export async function demandUpdate(id: string, request: UpdateKeyRequest, services: Services): Promise<void> {
  await demandChanges(await changeableKey(id, services), request, services)
}

async function demandChanges(key: StoredKey, request: UpdateKeyRequest, services: Services): Promise<void> {
  const { actor, db } = services
  const { project = key.project, user = key.user } = request
  if (project !== key.project) await demandMove(project, services)
  if (!may(actor, 'keys.write', withoutUser(key))) return refuseFields(request)
  if (project === key.project && user === key.user) return
  if (project !== key.project) await demandReadable(key, 'move', services)
  if (user !== key.user && (key.user !== null || user === actor.id)) await demandReadable(key, 'hand over', services)
  const ownership = await projectOwnership(project, db)
  if (!may(actor, 'keys.write', { organization: ownership.organization })) await checkHolder(user, ownership, db)
  await demandHandover({ user, ...ownership }, services)
}

/** Moving a key to a project gives the key access to that project, so the actor needs the right to create keys there. */
async function demandMove(project: string, { actor, db }: Services): Promise<void> {
  if (!may(actor, 'keys.write', await projectOwnership(project, db))) throw notYours()
}

export async function rotateKeyAs(id: string, request: RotateKeyRequest, services: Services): Promise<CreatedKey> {
  const { overlap_seconds: _, ...changes } = request
  const key = await changeableKey(id, services)
  await demandReadable(key, 'rotate', services)
  await demandStanding(key, services)
  await demandChanges(key, changes, services)
  return await rotateIssued(id, request, services)
}

export async function recordKeyAs(id: string, request: RecordKeyRequest, services: Services): Promise<KeySummary> {
  await demandReadable(await changeableKey(id, services), 'record', services)
  return await recordIssued(id, request, services)
}

export async function revokeKeyAs(id: string, services: Services): Promise<void> {
  await changeableKey(id, services)
  await revokeIssued(id, services)
}

/** A key that the asker may not see answers as one that does not exist. */
export async function visibleKey(id: string, { db, actor }: Pick<Services, 'db' | 'actor'>): Promise<StoredKey> {
  const key = await findKey(db, id)
  if (!key || key.kind === 'session' || !mayWith(actor, 'keys.read', key))
    throw problem('not_found', { message: 'There is no such key.' })
  return key
}

/** Rotating an admin key reveals a secret with the rights of an owner, so only an owner may do it. */
async function changeableKey(id: string, services: Services): Promise<StoredKey> {
  const key = await visibleKey(id, services)
  if (!mayWith(services.actor, 'keys.write', key)) throw notYours()
  if (key.kind === 'admin' && !mayGrant(services.actor, 'owner', WHOLE_INSTALLATION)) throw notYours()
  return key
}

function mayWith(actor: Actor, permission: Permission, key: StoredKey): boolean {
  return may(actor, permission, key.kind === 'admin' ? INSTALLATION : key)
}

const WHOLE_INSTALLATION = { organization: DEFAULT_ORGANIZATION, project: null }

function withoutUser({ organization, project }: StoredKey): Owned {
  return { organization, project }
}

/**
 * A new key without a value has what its project says. In a change, null is a value too: it would take the key from its user,
 * whose membership it ends with, or lift a policy that another admin has set.
 */
function refuseFields(
  request: Partial<Record<(typeof NOT_FOR_OWN)[number], unknown>>,
  isValue = (_value: unknown) => true,
): void {
  const named = NOT_FOR_OWN.find((field) => request[field] !== undefined && isValue(request[field]))
  if (named) throw notYours(`Your role does not let you set ${named}.`)
}

/** A key ends with the membership of its user, so there has to be one. */
async function checkHolder(user: string | null, ownership: KeyOwner, db: Database): Promise<void> {
  if (user === null) return
  const memberships = await membershipsOf(db, user)
  const { organization, project } = ownership
  if (
    !memberships.some(
      (membership) =>
        membership.project === project || (membership.project === null && membership.organization === organization),
    )
  )
    throw invalid('user', 'This user is not a member of the project')
}

/** The project of an actor who is a member of only one. */
export function onlyProject({ memberships }: Actor): string | undefined {
  const projects = [...new Set(memberships.map(({ project }) => project))]
  return projects.length === 1 ? (projects[0] ?? undefined) : undefined
}
