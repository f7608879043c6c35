import { networkOf } from '../access/client-network.ts'
import { changedFields } from '../audit/changes.ts'
import { audited } from '../audit/audited.ts'
import type { ChangeMeRequest, Me } from '../../contract/admin/own-account.ts'
import { problem } from '../../contract/problems.ts'
import type { Actor } from '../people/actor.ts'
import { unknownUser } from '../people/manage-users.ts'
import { mayAnything, whereMay } from '../people/may.ts'
import { checkName, invalid, type PeopleServices } from '../people/people-services.ts'
import { type Permission, PERMISSION_NAMES, rowOf } from '../people/roles.ts'
import type { Database } from '../../platform/store/database.ts'
import { areAllOrganizations } from '../../platform/store/projects/organizations.ts'
import { agentSessionsEnd } from '../../platform/store/agents/agent-sessions.ts'
import { sessionsEnd } from '../../platform/store/people/sessions.ts'
import { findUser, type StoredUser, userUpdate } from '../../platform/store/people/users.ts'
import { countForAccount } from './attempts.ts'
import { hashPassword, isPassword } from './password-hash.ts'
import { type OpenedSession, openSession, type SignInOrigin } from './sessions.ts'

export async function describeMe(actor: Actor, { db }: Pick<PeopleServices, 'db'>): Promise<Me> {
  const { kind, id, name, memberships, session } = actor
  const permissions = PERMISSION_NAMES.filter((permission) => mayAnything(actor, permission))
  const isOnly = await areAllOrganizations(db, organizationsOf(actor))
  return {
    kind: kind as Me['kind'],
    id,
    name,
    memberships: [...memberships],
    permissions: permissions.map((permission) => rightOf(actor, permission, isOnly)),
    session: session ?? null,
    account: await accountOf(actor, db),
  }
}

async function accountOf({ kind, id }: Actor, db: Database): Promise<Me['account']> {
  const user = kind === 'user' ? await findUser(db, id) : undefined
  return user ? { name: user.name, email: user.email, has_password: user.password !== null } : null
}

/** `isOnly`: there are no organizations but those of the actor. */
function rightOf(actor: Actor, permission: Permission, isOnly: boolean): Me['permissions'][number] {
  const where = whereMay(actor, permission)
  if (where.all || rowOf(permission).level === 'installation' || (isOnly && isOnAll(actor, where)))
    return { permission, all: true, organizations: [], projects: [], own: true }
  const { organizations, projects, own } = where
  return {
    permission,
    all: false,
    organizations: [...organizations],
    projects: [...projects],
    own: own !== undefined,
  }
}

function isOnAll(actor: Actor, { organizations }: { organizations: readonly string[] }): boolean {
  return organizationsOf(actor).every((organization) => organizations.includes(organization))
}

function organizationsOf({ memberships }: Actor): string[] {
  return memberships.flatMap(({ organization, project }) => (project === null ? [organization] : []))
}

/** A new password ends all sessions; the caller gets a new one. */
export async function changeMe(
  request: ChangeMeRequest,
  origin: SignInOrigin,
  people: PeopleServices,
): Promise<OpenedSession | undefined> {
  const user = await ownUser(people)
  if (request.name !== undefined) await rename(user, request.name, people)
  if (request.password === undefined) return undefined
  await checkCurrent(user, request.current_password, origin, people)
  const password = await hashPassword(request.password, networkOf({ clientAddress: origin.ip }))
  const changes = [userUpdate(user.id, { password }), sessionsEnd(user.id), agentSessionsEnd(user.id)]
  const events = [{ action: 'user.password', object: `user:${user.id}`, after: { password: 'changed' } }]
  const opened = await openSession(user, { via: 'password', origin, changes, events }, people)
  await people.keyCache?.refresh()
  return opened
}

/** Throws unless this is the password of the actor's own account. Returns the account. */
export async function demandOwnPassword(
  current: string,
  origin: SignInOrigin,
  people: PeopleServices,
): Promise<StoredUser> {
  const user = await ownUser(people)
  await checkCurrent(user, current, origin, people)
  return user
}

async function ownUser({ db, actor }: PeopleServices): Promise<StoredUser> {
  if (actor.kind !== 'user')
    throw problem('conflict', { message: 'Only a person who has signed in has an account to change.' })
  const user = await findUser(db, actor.id)
  if (!user) throw unknownUser()
  return user
}

async function rename(user: StoredUser, name: string, { db, author }: PeopleServices): Promise<void> {
  checkName(name, user.email)
  const event = { action: 'user.update', object: `user:${user.id}`, ...changedFields({ name: user.name }, { name }) }
  await audited(db, author, event).transaction([userUpdate(user.id, { name })])
}

/** A stolen session must not be able to try passwords. */
async function checkCurrent(
  { email, password }: StoredUser,
  current: string | undefined,
  { ip }: SignInOrigin,
  { db }: PeopleServices,
): Promise<void> {
  if (password === null || email === null)
    throw problem('conflict', {
      message: 'This account has no password. Its owner signs in with an identity provider.',
    })
  await countForAccount(db, { email, ip })
  const isRight = current !== undefined && (await isPassword(current, password, networkOf({ clientAddress: ip })))
  if (!isRight) throw invalid('current_password', 'This is not the current password')
}
