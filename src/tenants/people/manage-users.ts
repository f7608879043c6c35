import { changedFields } from '../audit/changes.ts'
import { audited } from '../audit/audited.ts'
import type { ChangeUserRequest, CreateUserRequest, User, UserList } from '../../contract/admin/people.ts'
import type { Role } from '../../contract/admin/roles.ts'
import { problem } from '../../contract/problems.ts'
import type { Statement } from '../../platform/store/database.ts'
import {
  keysEnd,
  memberInsertion,
  membershipsOf,
  ownerRemains,
  type StoredMember,
} from '../../platform/store/people/members.ts'
import { invitationsEnd } from '../../platform/store/people/invitations.ts'
import { sessionsEnd } from '../../platform/store/people/sessions.ts'
import {
  findUser,
  listUsers,
  type NewUser,
  type StoredUser,
  type UserChanges,
  userDeletion,
  userInsertion,
  userUpdate,
} from '../../platform/store/people/users.ts'
import { checkOrganization, demandGrant, readScope } from './check-grant.ts'
import type { RoleScope } from './grants.ts'
import { may, whereMay } from './may.ts'
import { demand, invalid, isoOf, type PeopleServices, readEmail } from './people-services.ts'

/** Managers see the members of their projects, others everybody of their organization. */
export async function listPeople(
  page: { limit: number; cursor?: string | undefined; kind?: User['kind'] | undefined },
  people: PeopleServices,
): Promise<UserList> {
  const { db, actor } = people
  const where = whereMay(actor, 'users.read')
  const { items, nextCursor } = await listUsers(db, { ...page, reach: where.all ? undefined : where })
  return { items: await Promise.all(items.map((user) => bodyOf(user, people))), next_cursor: nextCursor }
}

export async function showUser(id: string, people: PeopleServices): Promise<User> {
  return await bodyOf(await demandKnown(id, people), people)
}

/** The user, if the actor may see the user: where the user belongs, or where the user has a role. */
export async function demandKnown(
  id: string,
  { db, actor }: Pick<PeopleServices, 'db' | 'actor'>,
): Promise<StoredUser> {
  const user = await found(id, { db })
  const scopes = [{ organization: user.organization }, ...(await membershipsOf(db, id))]
  if (!scopes.some(({ organization, ...rest }) => may(actor, 'users.read', { organization, ...projectIn(rest) })))
    throw unknownUser()
  return user
}

function projectIn(scope: { project?: string | null }): { project: string | null } {
  return { project: scope.project ?? null }
}

export async function createUser(request: CreateUserRequest, people: PeopleServices): Promise<User> {
  const { db, actor, author, newId } = people
  const scope = await readScope(request, 'users.write', people)
  demand(actor, 'users.write', scope)
  const role = request.role ?? undefined
  if (role) demandGrant(actor, role, scope)
  await checkOrganization(scope, people)
  const user = newUserOf(request, newId(), scope.organization)
  const statements = [userInsertion(user), ...(role ? [roleOf(user.id, role, scope, newId())] : [])]
  const { email, name, kind } = user
  const after = { email, name, kind, organization: user.organization, ...(role && { role, project: scope.project }) }
  const event = { action: 'user.create', object: `user:${user.id}`, after }
  const results = await audited(db, author, event).transaction(statements)
  if (results[0]!.changes === 0) throw taken()
  return await bodyOf(await found(user.id, people), people)
}

function newUserOf({ kind, name, email }: CreateUserRequest, id: string, organization: string): NewUser {
  const isPerson = kind === 'person'
  if (isPerson && !email) throw invalid('email', 'A person needs an e-mail address')
  if (!isPerson && email) throw invalid('email', 'A service account has no e-mail address')
  return {
    id,
    organization,
    email: email ? readEmail(email) : null,
    name,
    kind: isPerson ? 'person' : 'service',
    password: null,
  }
}

function roleOf(userId: string, role: Role, scope: RoleScope, id: string): Statement {
  return memberInsertion({ id, ...scope, userId, role, source: 'manual' })
}

/** Disabling ends sessions at once, and revokes the keys of the user in all processes within seconds. */
export async function changeUser(id: string, request: ChangeUserRequest, people: PeopleServices): Promise<User> {
  const { db, author, now } = people
  const user = await changeableUser(id, people)
  const changes = changesIn(user, request, now())
  const ends = changes.disabledAt ? [sessionsEnd(id), keysEnd(id), invitationsEnd(id)] : []
  const guard = changes.disabledAt ? [ownerRemains(id)] : []
  const event = { action: 'user.update', object: `user:${id}`, ...changedFields(shownFields(user), request) }
  const results = await audited(db, author, event).transaction([...guard, userUpdate(id, changes), ...ends])
  demandChange(results, guard.length, taken)
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

export async function removeUser(id: string, people: PeopleServices): Promise<void> {
  const { db, author } = people
  const user = await changeableUser(id, people)
  const event = { action: 'user.delete', object: `user:${id}`, before: { ...shownFields(user), kind: user.kind } }
  const deletions = userDeletion(id)
  const results = await audited(db, author, event).transaction([
    ownerRemains(id),
    ...deletions,
    // The user is a member of nothing any more.
    keysEnd(id),
    invitationsEnd(id),
  ])
  demandChange(results, 1, unknownUser)
  await people.keyCache?.refresh()
}

/**
 * The user, if the actor may change the user. An actor who cannot give the roles of a user cannot change the user either:
 * otherwise an admin could become an owner, or an admin of one organization could disable an owner of another.
 */
export async function changeableUser(id: string, people: Pick<PeopleServices, 'db' | 'actor'>): Promise<StoredUser> {
  const { db, actor } = people
  const user = await demandKnown(id, people)
  demand(actor, 'users.write', { organization: user.organization })
  for (const member of await membershipsOf(db, id)) demandGrant(actor, member.role as Role, member)
  return user
}

export async function found(id: string, { db }: Pick<PeopleServices, 'db'>): Promise<StoredUser> {
  const user = await findUser(db, id)
  if (!user) throw unknownUser()
  return user
}

/** Roles that the actor may not see, such as those in other organizations, are left out. */
async function bodyOf(user: StoredUser, { db, actor }: Pick<PeopleServices, 'db' | 'actor'>): Promise<User> {
  const memberships = await membershipsOf(db, user.id)
  return userBody(
    user,
    memberships.filter((membership) =>
      may(actor, 'members.read', { organization: membership.organization, project: membership.project }),
    ),
  )
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

/** For a change that `ownerRemains` may guard. A change that changes no row ends its transaction. */
export function demandChange(results: readonly { changes: number }[], guards: number, refusal: () => Error): void {
  if (guards > 0 && results[0]!.changes === 0) throw lastOwner()
  if (!results[guards]?.changes) throw refusal()
}

function lastOwner() {
  return problem('conflict', { message: 'This is the last owner. Make another user an owner first.' })
}

function taken() {
  return problem('conflict', { message: 'Another user has this e-mail address. Choose a different one.' })
}

export function unknownUser() {
  return problem('not_found', { message: 'There is no such user.' })
}
