import { isRole } from '../../tenants/people/roles.ts'
import { ROLES } from '../../contract/admin/roles.ts'
import type { User } from '../../contract/admin/people.ts'
import { changeUser, listPeople } from '../../tenants/people/manage-users.ts'
import type { PeopleServices } from '../../tenants/people/people-services.ts'
import { didYouMean } from '../../base/schema/nearest-name.ts'
import { createPerson, personOf, resetPassword } from '../../tenants/sign-in/manage-passwords.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { passwordFrom, withPeople } from './with-people.ts'

const PAGE = 1_000

/** Prints only the password, if it was made here. */
export async function createUserCommand({ values }: Input<'users create'>, terminal: Terminal): Promise<number> {
  const { email, name = email, role = 'member', organization, project = null } = values
  if (email === undefined || name === undefined) throw new UsageError('Name the person with --email ADDRESS.')
  if (!isRole(role)) throw new UsageError(`--role must be one of ${ROLES.join(', ')}.${didYouMean(role, ROLES)}`)
  const { password, isRandom } = passwordFrom(values['password-stdin'])
  return await withPeople(terminal, async (people) => {
    const id = await createPerson({ email, name, role, organization, project, password }, people)
    if (isRandom) terminal.print(`${password}\n`)
    const where = project === null ? `the organization ${organization ?? 'default'}` : `the project ${project}`
    terminal.remark(`Created ${email} (${id}), ${role} of ${where}.${isRandom ? SHOWN_ONCE : ''}\n`)
  })
}

const SHOWN_ONCE = ' The password is shown only once; it can be changed after signing in.'

export async function resetPasswordCommand(
  { values, operands }: Input<'users reset-password'>,
  terminal: Terminal,
): Promise<number> {
  const { password, isRandom } = passwordFrom(values['password-stdin'])
  return await withPeople(terminal, async (people) => {
    const { email, disabledAt } = await resetPassword(operands[0]!, password, people)
    if (isRandom) terminal.print(`${password}\n`)
    const note = disabledAt === null ? '' : ' The user is still disabled.'
    terminal.remark(`${email} has a new password; all sessions have ended.${isRandom ? SHOWN_ONCE : ''}${note}\n`)
  })
}

export async function disableUserCommand({ operands }: Input<'users disable'>, terminal: Terminal): Promise<number> {
  return await withPeople(terminal, async (people) => {
    const { id, email } = await personOf(operands[0]!, people)
    await changeUser(id, { disabled: true }, people)
    terminal.remark(`${email} is disabled: sessions have ended, keys are refused within seconds.\n`)
  })
}

/** One line for each user, newest first. With --json, each line is a JSON object. */
export async function listUsersCommand({ values }: Input<'users list'>, terminal: Terminal): Promise<number> {
  return await withPeople(terminal, async (people) => {
    let count = 0
    for await (const user of allUsers(people)) {
      count++
      terminal.print(`${values.json ? JSON.stringify(user) : lineOf(user)}\n`)
    }
    if (count === 0) terminal.remark('There are no users yet. `gatehouse users create --email ADDRESS` creates one.\n')
  })
}

async function* allUsers(people: PeopleServices): AsyncGenerator<User> {
  let cursor: string | undefined
  do {
    const page = await listPeople({ limit: PAGE, cursor }, people)
    yield* page.items
    cursor = page.next_cursor ?? undefined
  } while (cursor)
}

function lineOf({ id, kind, disabled_at, email, name, memberships }: User): string {
  const roles = memberships.map(({ role, project }) => (project === null ? role : `${role} of ${project}`)).join(', ')
  const state = disabled_at ? 'disabled' : 'active'
  return [id, kind.padEnd(7), state.padEnd(8), email ?? name, roles || 'no role'].join('  ')
}
