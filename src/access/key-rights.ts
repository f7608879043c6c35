import type {
  CreatedKey,
  CreateKeyRequest,
  KeyList,
  KeySummary,
  PreviewKeyRequest,
  UpdateKeyRequest,
} from '../contract/keys.ts'
import type { RecordKeyRequest } from '../contract/admin/content.ts'
import { problem } from '../contract/problems.ts'
import type { Actor } from '../people/actor.ts'
import { mayGrant } from '../people/grants.ts'
import { may, type Owned, reachIn } from '../people/may.ts'
import { invalid, notYours } from '../people/people-context.ts'
import type { Permission } from '../people/roles.ts'
import type { Database } from '../store/database.ts'
import { findKey, type StoredKey } from '../store/keys.ts'
import { membershipsOf } from '../store/people/members.ts'
import { PERSONAL } from '../store/projects/projects.ts'
import type { Caller } from './caller.ts'
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

// Keys as the roles allow it: a member has own keys in the project, a manager all keys of the project.

type By = { actor: Actor }
type Context = KeyContext & ChangeContext & KeyAuthor & By

/** Fields that say whose key it is and what it may do beyond its project. Who may only have own keys cannot set them. */
const NOT_FOR_OWN = ['owner', 'user', 'policy'] as const

export async function issueKeyAs(request: CreateKeyRequest, context: Context): Promise<CreatedKey> {
  const { actor } = context
  if (may(actor, 'keys.write')) return await issueKey(request, context)
  // Another owner would open the files of another project.
  if (request.owner) throw notYours('Your role does not allow to set owner. Name the project.')
  const project = request.project ?? onlyProject(actor) ?? PERSONAL
  if (may(actor, 'keys.write', { project })) {
    await checkHolder(request.user ?? null, project, context.db)
    return await issueKey({ ...request, project }, context)
  }
  if (!may(actor, 'keys.write', { project, user: actor.id })) throw notYours()
  refuseFields(request.user === actor.id ? { ...request, user: undefined } : request)
  return await issueKey({ ...request, project, user: actor.id }, context)
}

/** Whoever may create a key may see what it could use, in the same projects. */
export async function previewKeyAs(draft: PreviewKeyRequest, context: Context): Promise<Caller> {
  const { actor } = context
  const project = draft.project ?? onlyProject(actor) ?? PERSONAL
  if (!may(actor, 'keys.write', { project, user: actor.id })) throw notYours()
  return await callerOfDraft({ ...draft, project }, context)
}

export function listKeysAs(page: { limit: number; cursor?: string | undefined }, context: Context): Promise<KeyList> {
  return listIssued({ ...page, reach: reachIn(context.actor, 'keys.read') }, context)
}

export async function showKeyAs(id: string, context: Context): Promise<KeySummary> {
  await visibleKey(id, context)
  return await showIssued(id, context)
}

export async function updateKeyAs(id: string, request: UpdateKeyRequest, context: Context): Promise<KeySummary> {
  const { actor, db } = context
  const key = await changeableKey(id, context)
  if (request.project && request.project !== key.project) demandMove(actor, request.project)
  if (!may(actor, 'keys.write', withoutUser(key))) refuseFields(request)
  else if (request.user && !may(actor, 'keys.write')) await checkHolder(request.user, key.project, db)
  return await updateIssued(id, request, context)
}

/** Whoever moves a key to a project opens the project to the key. */
function demandMove(actor: Actor, project: string): void {
  if (!may(actor, 'keys.write', { project })) throw notYours()
}

export async function rotateKeyAs(id: string, overlapSeconds: number, context: Context): Promise<CreatedKey> {
  await changeableKey(id, context)
  return await rotateIssued(id, overlapSeconds, context)
}

export async function recordKeyAs(id: string, request: RecordKeyRequest, context: Context): Promise<KeySummary> {
  await changeableKey(id, context)
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

/** Whoever gives an admin key another secret has the rights of an owner. */
async function changeableKey(id: string, context: Context): Promise<StoredKey> {
  const key = await visibleKey(id, context)
  if (!mayWith(context.actor, 'keys.write', key)) throw notYours()
  if (key.kind === 'admin' && !mayGrant(context.actor, 'owner', null)) throw notYours()
  return key
}

function mayWith(actor: Actor, permission: Permission, key: StoredKey): boolean {
  return may(actor, permission, key.kind === 'admin' ? {} : { project: key.project, user: key.user })
}

function withoutUser({ project }: StoredKey): Owned {
  return { project }
}

function refuseFields(request: Partial<Record<(typeof NOT_FOR_OWN)[number], unknown>>): void {
  const named = NOT_FOR_OWN.find((field) => request[field] !== undefined && request[field] !== null)
  if (named) throw notYours(`Your role does not allow to set ${named}.`)
}

/** A key ends with the membership of its user, so there has to be one. */
async function checkHolder(user: string | null, project: string, db: Database): Promise<void> {
  if (user === null) return
  const memberships = await membershipsOf(db, user)
  if (!memberships.some((held) => held.project === null || held.project === project))
    throw invalid('user', 'This user is no member of the project')
}

/** The project of somebody who has only one. */
function onlyProject({ memberships }: Actor): string | undefined {
  const projects = [...new Set(memberships.map(({ project }) => project))]
  return projects.length === 1 ? (projects[0] ?? undefined) : undefined
}
