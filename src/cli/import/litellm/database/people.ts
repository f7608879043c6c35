import type { Role } from '../../../../contract/admin/roles.ts'
import { type Fields, listOf, recordsIn } from '../../../../base/schema/record.ts'
import type { NewMember } from '../../../../platform/store/people/members.ts'
import type { NewUser } from '../../../../platform/store/people/users.ts'
import { PERSONAL, type NewProject } from '../../../../platform/store/projects/projects.ts'
import { uuidOf } from './source-ids.ts'
import { firstText } from './values.ts'

// Users of LiteLLM, and what they are members of. Passwords are never taken over: people sign in through SSO, or get a new
// password on the machine.

const ORGANIZATION = 'default'
const EMAIL = /^[^\s@]+@[^\s@]+$/
const MAX_NAME_CHARS = 200
/** The name under which LiteLLM's master key works. */
const MASTER_USER = 'default_user_id'

/** Roles on the whole installation. An import makes no owners: an owner can remove all other people. */
const INSTALLATION_ROLES: Readonly<Record<string, Role>> = { proxy_admin: 'admin', proxy_admin_viewer: 'auditor' }

type ImportedPeople = {
  /** By the id in LiteLLM. */
  users: ReadonlyMap<string, NewUser>
  members: readonly NewMember[]
  /** Members of teams and organizations that are no users there. */
  strangers: number
}

type PeopleSource = {
  users: readonly Fields[]
  teams: readonly Fields[]
  organizationMembers: readonly Fields[]
  /** By the id of the team. */
  projects: ReadonlyMap<string, NewProject>
  /** Who exists here already, by e-mail address. */
  known: ReadonlyMap<string, string>
}

export function peopleOf(source: PeopleSource): ImportedPeople {
  const users = usersOf(source)
  const members = new Members(users, source)
  for (const row of source.users) members.addOwn(row)
  for (const team of source.teams) members.addTeam(team)
  for (const row of source.organizationMembers) members.addLead(row)
  return { users, members: members.all(), strangers: members.strangers }
}

/** A user without an e-mail address cannot sign in: that is a service account here. */
function usersOf({ users: rows, known }: PeopleSource): Map<string, NewUser> {
  const users = new Map<string, NewUser>()
  const ids = new Map(known)
  for (const row of rows) {
    const source = String(row.user_id)
    if (source === MASTER_USER) continue
    const email = emailIn(row.user_email)
    const id = (email && ids.get(email)) ?? uuidOf('user', source)
    if (email) ids.set(email, id)
    const name = (firstText(row, 'user_alias', 'user_email') ?? source).slice(0, MAX_NAME_CHARS)
    const kind = email ? 'person' : 'service'
    users.set(source, { id, organization: ORGANIZATION, email: email ?? null, name, kind, password: null })
  }
  return users
}

/** E-mail addresses are compared in lower case. */
function emailIn(value: unknown): string | undefined {
  return typeof value === 'string' && EMAIL.test(value.trim()) ? value.trim().toLowerCase() : undefined
}

/** Of several roles at one place, the first one stays, so the stronger ones are added first. */
class Members {
  readonly #users: ReadonlyMap<string, NewUser>
  readonly #byEmail: ReadonlyMap<string, NewUser>
  readonly #source: PeopleSource
  readonly #found = new Map<string, NewMember>()
  strangers = 0

  constructor(users: ReadonlyMap<string, NewUser>, source: PeopleSource) {
    this.#users = users
    this.#byEmail = new Map([...users.values()].flatMap((user) => (user.email ? [[user.email, user]] : [])))
    this.#source = source
  }

  all(): NewMember[] {
    return [...this.#found.values()]
  }

  /** A role on the installation; for usual users one where keys without a team are. */
  addOwn({ user_id: id, user_role: role }: Fields): void {
    const user = this.#users.get(String(id))
    const installationRole = INSTALLATION_ROLES[String(role)]
    if (user && installationRole) this.#add(user, installationRole, null)
    else if (user && role === 'internal_user') this.#add(user, 'member', PERSONAL)
  }

  addTeam(team: Fields): void {
    const project = this.#source.projects.get(String(team.team_id))?.id
    if (project === undefined) return
    const listed = recordsIn(team.members_with_roles)
    const older = [
      ...listOf(team.admins).map((id): Fields => ({ user_id: id, role: 'admin' })),
      ...listOf(team.members).map((id): Fields => ({ user_id: id, role: 'user' })),
    ]
    const members = listed.length > 0 ? listed : older
    for (const member of members.toSorted(adminsFirst))
      this.#addKnown(member, member.role === 'admin' ? 'manager' : 'member', project)
  }

  /** An admin of an organization leads its teams. A role on the installation would be about the others too. */
  addLead(row: Fields): void {
    if (row.user_role !== 'org_admin') return
    const teams = this.#source.teams.filter(({ organization_id: id }) => id === row.organization_id)
    const projects = teams.flatMap(({ team_id: id }) => this.#source.projects.get(String(id))?.id ?? [])
    for (const project of projects) this.#addKnown(row, 'manager', project)
  }

  #addKnown({ user_id: id, user_email: email }: Fields, role: Role, project: string): void {
    const user = this.#users.get(String(id)) ?? this.#byEmail.get(emailIn(email) ?? '')
    if (user) this.#add(user, role, project)
    else if (id !== MASTER_USER) this.strangers++
  }

  #add({ id: userId, kind }: NewUser, role: Role, project: string | null): void {
    const key = `${userId} ${project ?? ''}`
    const existing = this.#found.get(key)
    if (existing && role !== 'manager') return
    const id = uuidOf('member', `${kind} ${key}`)
    this.#found.set(key, { id, organization: ORGANIZATION, project, userId, role, source: 'manual' })
  }
}

function adminsFirst(one: Fields, other: Fields): number {
  return Number(other.role === 'admin') - Number(one.role === 'admin')
}
