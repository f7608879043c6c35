import type {
  CreatedKey,
  CreateKeyRequest,
  KeyFilters,
  KeyList,
  KeySummary,
  PreviewKeyRequest,
  RotateKeyRequest,
  UpdateKeyRequest,
} from '../contract/keys.ts'
import type { RecordKeyRequest } from '../contract/admin/content.ts'
import { problem } from '../contract/problems.ts'
import { type Actor, DEFAULT_ORGANIZATION } from '../people/actor.ts'
import { mayGrant } from '../people/grants.ts'
import { INSTALLATION, may, type Owned, reachIn } from '../people/may.ts'
import { invalid, notYours } from '../people/people-context.ts'
import type { Permission } from '../people/roles.ts'
import type { Database } from '../store/database.ts'
import { findKey, type StoredKey } from '../store/keys.ts'
import { membershipsOf } from '../store/people/members.ts'
import { findProject, PERSONAL } from '../store/projects/projects.ts'
import type { Caller } from './caller.ts'
import { demandHandover, demandReadable, demandStanding } from './key-content.ts'
import { keyAssignment } from './key-place.ts'
import { callerOfDraft } from './preview-key.ts'
import {
  type ChangeContext,
  issueKey,
  type KeyAuthor,
  type KeyContext,
  listIssued,
  recordIssued,
  revokeIssued,
  rotateIssued,
  showIssued,
  updateIssued,
} from './keys.ts'
import { toCaller } from './known-key.ts'

// Keys as the roles allow it: a member has own keys in the project, a manager all keys of the project.

type By = { actor: Actor }
type Context = KeyContext & ChangeContext & KeyAuthor & By

/** Fields that say whose key it is and what it may do beyond its project. Who may only have own keys cannot set them. */
const NOT_FOR_OWN = ['owner', 'user', 'policy'] as const

export async function issueKeyAs(request: CreateKeyRequest, context: Context): Promise<CreatedKey> {
  const { actor, db } = context
  if (may(actor, 'keys.write', INSTALLATION)) return await issueAnywhere(request, context)
  // Another owner would open the files of another project.
  if (request.owner) throw notYours('Your role does not let you set owner. Name the project instead.')
  const project = request.project ?? onlyProject(actor) ?? PERSONAL
  const ownership = await projectOwnership(project, db)
  if (may(actor, 'keys.write', ownership)) {
    await checkHolder(request.user ?? null, ownership, db)
    await demandHandover({ user: request.user ?? null, ...ownership }, context)
    return await issueKey({ ...request, project }, context)
  }
  if (!may(actor, 'keys.write', { ...ownership, user: actor.id })) throw notYours()
  refuseFields({ ...request, ...(request.user === actor.id && { user: null }) }, (value) => value !== null)
  return await issueKey({ ...request, project, user: actor.id }, context)
}

/** An admin of the installation may name an owner that does not exist yet, but not one of another organization. */
async function issueAnywhere(request: CreateKeyRequest, context: Context): Promise<CreatedKey> {
  const { project } = await keyAssignment(request, context.db)
  const ownership = await projectOwnership(project, context.db)
  if (!may(context.actor, 'keys.write', ownership)) throw notYours()
  await demandHandover({ user: request.user ?? null, ...ownership }, context)
  return await issueKey(request, context)
}

/** A project that does not exist would be one of the organization `default`. */
async function projectOwnership(project: string, db: Database): Promise<KeyOwner> {
  const found = await findProject(db, project)
  return { organization: found?.organization ?? DEFAULT_ORGANIZATION, project }
}

type KeyOwner = { organization: string; project: string }

/** A person who may create a key in a project may also preview what the key could use there. */
export async function previewKeyAs(draft: PreviewKeyRequest, context: Context): Promise<Caller> {
  const { actor, db } = context
  const project = draft.project ?? onlyProject(actor) ?? PERSONAL
  if (!may(actor, 'keys.write', { ...(await projectOwnership(project, db)), user: actor.id })) throw notYours()
  return await callerOfDraft({ ...draft, project }, context)
}

export async function listKeysAs(
  page: KeyFilters & { limit: number; cursor?: string | undefined },
  context: Context,
): Promise<KeyList> {
  return await listIssued({ ...page, reach: await reachIn(context.actor, 'keys.read', context.db) }, context)
}

export async function showKeyAs(id: string, context: Context): Promise<KeySummary> {
  await visibleKey(id, context)
  return await showIssued(id, { ...context, reach: await reachIn(context.actor, 'keys.read', context.db) })
}

/** The caller that a key is. */
export async function visibleCaller(id: string, context: Pick<Context, 'db' | 'actor'>): Promise<Caller> {
  return toCaller(await visibleKey(id, context))
}

export async function updateKeyAs(id: string, request: UpdateKeyRequest, context: Context): Promise<KeySummary> {
  await demandChanges(await changeableKey(id, context), request, context)
  return await updateIssued(id, request, context)
}

/** Throws unless the asker may change these fields of the key. */
async function demandChanges(key: StoredKey, request: UpdateKeyRequest, context: Context): Promise<void> {
  const { actor, db } = context
  const { project = key.project, user = key.user } = request
  if (project !== key.project) await demandMove(project, context)
  if (!may(actor, 'keys.write', withoutUser(key))) return refuseFields(request)
  if (project === key.project && user === key.user) return
  if (project !== key.project) await demandReadable(key, 'move', context)
  if (user !== key.user && (key.user !== null || user === actor.id)) await demandReadable(key, 'hand over', context)
  const ownership = await projectOwnership(project, db)
  if (!may(actor, 'keys.write', { organization: ownership.organization })) await checkHolder(user, ownership, db)
  await demandHandover({ user, ...ownership }, context)
}

/** Moving a key to a project gives the key access to that project, so the actor needs the right to create keys there. */
async function demandMove(project: string, { actor, db }: Context): Promise<void> {
  if (!may(actor, 'keys.write', await projectOwnership(project, db))) throw notYours()
}

export async function rotateKeyAs(id: string, request: RotateKeyRequest, context: Context): Promise<CreatedKey> {
  const { overlap_seconds: _, ...changes } = request
  const key = await changeableKey(id, context)
  await demandReadable(key, 'rotate', context)
  await demandStanding(key, context)
  await demandChanges(key, changes, context)
  return await rotateIssued(id, request, context)
}

export async function recordKeyAs(id: string, request: RecordKeyRequest, context: Context): Promise<KeySummary> {
  await demandReadable(await changeableKey(id, context), 'record', context)
  return await recordIssued(id, request, context)
}

export async function revokeKeyAs(id: string, context: Context): Promise<void> {
  await changeableKey(id, context)
  await revokeIssued(id, context)
}

/** A key that the asker may not see answers as one that does not exist. */
async function visibleKey(id: string, { db, actor }: Pick<Context, 'db' | 'actor'>): Promise<StoredKey> {
  const key = await findKey(db, id)
  if (!key || !mayWith(actor, 'keys.read', key)) throw problem('not_found', { message: 'There is no such key.' })
  return key
}

/** Rotating an admin key reveals a secret with the rights of an owner, so only an owner may do it. */
async function changeableKey(id: string, context: Context): Promise<StoredKey> {
  const key = await visibleKey(id, context)
  if (!mayWith(context.actor, 'keys.write', key)) throw notYours()
  if (key.kind === 'admin' && !mayGrant(context.actor, 'owner', WHOLE_INSTALLATION)) throw notYours()
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
      (held) => held.project === project || (held.project === null && held.organization === organization),
    )
  )
    throw invalid('user', 'This user is no member of the project')
}

/** The project of an actor who is a member of only one. */
function onlyProject({ memberships }: Actor): string | undefined {
  const projects = [...new Set(memberships.map(({ project }) => project))]
  return projects.length === 1 ? (projects[0] ?? undefined) : undefined
}
