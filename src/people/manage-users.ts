import { changedFields } from '../audit/changes.ts'
import { recorded } from '../audit/record.ts'
import type { ChangeUserRequest, CreateUserRequest, User, UserList } from '../contract/admin/people.ts'
import type { Role } from '../contract/admin/roles.ts'
import { problem } from '../contract/problems.ts'
import type { Statement } from '../store/database.ts'
import { keysEnd, memberInsertion, membershipsOf, ownerRemains, type StoredMember } from '../store/people/members.ts'
import { invitationsEnd } from '../store/people/invitations.ts'
import { sessionsEnd } from '../store/people/sessions.ts'
import {
  findUser,
  listUsers,
  type NewUser,
  type StoredUser,
  type UserChanges,
  userDeletion,
  userInsertion,
  userUpdate,
} from '../store/people/users.ts'
import { DEFAULT_ORGANIZATION } from './actor.ts'
import { checkProject, demandGrant } from './check-grant.ts'
import { whereMay } from './may.ts'
import { demand, invalid, isoOf, type PeopleContext, readEmail } from './people-context.ts'

/** Managers see the members of their projects. */
export async function listPeople(
  page: { limit: number; cursor?: string | undefined; kind?: User['kind'] | undefined },
  { db, actor }: PeopleContext,
): Promise<UserList> {
  const where = whereMay(actor, 'users.read')
  const { items, nextCursor } = await listUsers(db, { ...page, projects: where.all ? undefined : where.projects })
  return { items: await Promise.all(items.map((user) => bodyOf(user, { db }))), next_cursor: nextCursor }
}

export async function showUser(id: string, { db, actor }: PeopleContext): Promise<User> {
  const user = await found(id, { db })
  const memberships = await membershipsOf(db, id)
  const where = whereMay(actor, 'users.read')
  if (!where.all && !memberships.some(({ project }) => project !== null && where.projects.includes(project)))
    throw unknownUser()
  return userBody(user, memberships)
}

export async function createUser(request: CreateUserRequest, people: PeopleContext): Promise<User> {
  const { db, actor, author, newId } = people
  demand(actor, 'users.write')
  const user = newUserOf(request, newId())
  const role = request.role ?? undefined
  const project = request.project ?? null
  if (role) await checkRole(role, project, people)
  const statements = [userInsertion(user), ...(role ? [roleOf(user, role, project, newId())] : [])]
  const { email, name, kind } = user
  const after = { email, name, kind, ...(role && { role, project }) }
  const event = { action: 'user.create', object: `user:${user.id}`, after }
  const results = await recorded(db, author, event).transaction(statements)
  if (results[0]!.changes === 0) throw taken()
  return await bodyOf(await found(user.id, people), people)
}

async function checkRole(role: Role, project: string | null, people: PeopleContext): Promise<void> {
  await checkProject(project, people)
  demandGrant(people.actor, role, project)
}

function newUserOf({ kind, name, email }: CreateUserRequest, id: string): NewUser {
  const isPerson = kind === 'person'
  if (isPerson && !email) throw invalid('email', 'A person needs an e-mail address')
  if (!isPerson && email) throw invalid('email', 'A service account has no e-mail address')
  return {
    id,
    organization: DEFAULT_ORGANIZATION,
    email: email ? readEmail(email) : null,
    name,
    kind: isPerson ? 'person' : 'service',
    password: null,
  }
}

function roleOf(user: NewUser, role: Role, project: string | null, id: string): Statement {
  const { organization, id: userId } = user
  return memberInsertion({ id, organization, project, userId, role, source: 'manual' })
}

/** Disabling ends sessions at once, and revokes the keys of the user in all processes within seconds. */
export async function changeUser(id: string, request: ChangeUserRequest, people: PeopleContext): Promise<User> {
  const { db, actor, author, now } = people
  demand(actor, 'users.write')
  const user = await found(id, people)
  await demandRank(id, people)
  const changes = changesIn(user, request, now())
  const ends = changes.disabledAt ? [sessionsEnd(id), keysEnd(id), invitationsEnd(id)] : []
  const guard = changes.disabledAt ? [ownerRemains(id)] : []
  const event = { action: 'user.update', object: `user:${id}`, ...changedFields(shownFields(user), request) }
  const statements = [...guard, userUpdate(id, changes), ...ends]
  const results = await recorded(db, author, event).transaction(statements)
  if (guard.length > 0 && results.length === 1) throw lastOwner()
  if (results.length < statements.length) throw taken()
  if (ends.length > 0) await people.keyCache?.refresh()
  return await bodyOf(await found(id, people), people)
}

function shownFields({ name, email, disabledAt }: StoredUser): Record<string, unknown> {
  return { name, email, disabled: disabledAt !== null }
}

function changesIn(user: StoredUser, { name, email, disabled }: ChangeUserRequest, now: number): UserChanges {
  if (email !== undefined && user.kind === 'service') throw invalid('email', 'A service account has no e-mail address')
  const isDisabled = user.disabledAt !== null
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email: readEmail(email) }),
    ...(disabled !== undefined && disabled !== isDisabled && { disabledAt: disabled ? now : null }),
  }
}

export async function removeUser(id: string, people: PeopleContext): Promise<void> {
  const { db, actor, author } = people
  demand(actor, 'users.write')
  const user = await found(id, people)
  await demandRank(id, people)
  const event = { action: 'user.delete', object: `user:${id}`, before: { ...shownFields(user), kind: user.kind } }
  const deletions = userDeletion(id)
  const [guard, deleted] = await recorded(db, author, event).transaction([
    ownerRemains(id),
    ...deletions,
    // The user is a member of nothing any more.
    keysEnd(id),
    invitationsEnd(id),
  ])
  if (guard!.changes === 0) throw lastOwner()
  if (deleted!.changes === 0) throw unknownUser()
  await people.keyCache?.refresh()
}

/** Whoever cannot give the roles of a user cannot change the user either: otherwise an admin could become an owner. */
export async function demandRank(userId: string, { db, actor }: PeopleContext): Promise<void> {
  for (const { role, project } of await membershipsOf(db, userId)) demandGrant(actor, role as Role, project)
}

export async function found(id: string, { db }: Pick<PeopleContext, 'db'>): Promise<StoredUser> {
  const user = await findUser(db, id)
  if (!user) throw unknownUser()
  return user
}

async function bodyOf(user: StoredUser, { db }: Pick<PeopleContext, 'db'>): Promise<User> {
  return userBody(user, await membershipsOf(db, user.id))
}

function userBody(user: StoredUser, memberships: readonly StoredMember[]): User {
  return {
    id: user.id,
    kind: user.kind,
    email: user.email,
    name: user.name,
    organization: user.organization,
    has_password: user.password !== null,
    issuer: user.issuer,
    disabled_at: isoOf(user.disabledAt),
    last_seen_at: isoOf(user.lastSeenAt),
    created_at: isoOf(user.createdAt),
    memberships: memberships.map(({ organization, project, role }) => ({ organization, project, role: role as Role })),
  }
}

export function lastOwner() {
  return problem('conflict', { message: 'This is the last owner. Make somebody else an owner first.' })
}

function taken() {
  return problem('conflict', { message: 'Another user has this e-mail address.' })
}

export function unknownUser() {
  return problem('not_found', { message: 'There is no such user.' })
}
