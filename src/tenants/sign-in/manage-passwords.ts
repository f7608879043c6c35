import { randomBytes } from 'node:crypto'
import { audited } from '../audit/audited.ts'
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from '../../contract/admin/person-fields.ts'
import type { Role } from '../../contract/admin/roles.ts'
import { problem } from '../../contract/problems.ts'
import { checkOrganization, demandGrant, readScope } from '../people/check-grant.ts'
import { demand, invalid, type PeopleServices, plainEmail, readEmail } from '../people/people-services.ts'
import { memberInsertion } from '../../platform/store/people/members.ts'
import { agentSessionsEnd } from '../../platform/store/agents/agent-sessions.ts'
import { sessionsEnd } from '../../platform/store/people/sessions.ts'
import { findUserByEmail, type StoredUser, userInsertion, userUpdate } from '../../platform/store/people/users.ts'
import { passwordPass } from '../../platform/store/sign-in/password-passes.ts'
import { attemptsEnd } from './attempts.ts'
import { hashPassword } from './password-hash.ts'

// Passwords that an operator sets for others, on the command line.

const RANDOM_BYTES = 18

export function randomPassword(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url')
}

type NewPerson = {
  email: string
  name: string
  role: Role
  organization?: string | undefined
  project: string | null
  password: string
}

export async function createPerson(
  { name, role, organization: named, project: inProject, ...person }: NewPerson,
  people: PeopleServices,
  hash = (password: string) => hashPassword(password),
): Promise<string> {
  const { db, author, actor, newId } = people
  const scope = await readScope({ organization: named, project: inProject }, 'users.write', people)
  demand(actor, 'users.write', scope)
  demandGrant(actor, role, scope)
  await checkOrganization(scope, people)
  const email = readEmail(person.email)
  const password = await hash(checked(person.password))
  const id = newId()
  const { organization } = scope
  const event = { action: 'user.create', object: `user:${id}`, after: { email, name, kind: 'person', role, ...scope } }
  const [inserted] = await audited(db, author, event).transaction([
    userInsertion({ id, organization, email, name, kind: 'person', password }),
    memberInsertion({ id: newId(), ...scope, userId: id, role, source: 'manual' }),
    passwordPass(id),
  ])
  if (inserted!.changes === 0)
    throw problem('conflict', { message: 'Another user has this e-mail address. Choose a different one.' })
  return id
}

/** Ends all sessions of the person, and whatever keeps the person from signing in now because others have tried passwords. */
export async function resetPassword(email: string, password: string, people: PeopleServices): Promise<StoredUser> {
  const { db, author, actor } = people
  const user = await personOf(email, people)
  demand(actor, 'users.write', { organization: user.organization })
  const event = { action: 'user.password', object: `user:${user.id}`, after: { password: 'changed' } }
  const changes = [
    userUpdate(user.id, { password: await hashPassword(checked(password)) }),
    sessionsEnd(user.id),
    agentSessionsEnd(user.id),
    passwordPass(user.id),
    ...(user.email === null ? [] : attemptsEnd(user.email)),
  ]
  await audited(db, author, event).transaction(changes)
  await people.keyCache?.refresh()
  return user
}

export async function personOf(email: string, { db }: Pick<PeopleServices, 'db'>): Promise<StoredUser> {
  const user = await findUserByEmail(db, plainEmail(email))
  if (!user) throw problem('not_found', { message: 'There is no user with this e-mail address.' })
  return user
}

function checked(password: string): string {
  if (password.length >= MIN_PASSWORD_CHARS && password.length <= MAX_PASSWORD_CHARS) return password
  throw invalid('password', `A password has ${MIN_PASSWORD_CHARS} to ${MAX_PASSWORD_CHARS} characters`)
}
