import type { Role } from '../../../src/contract/admin/roles.ts'
import { mayIn } from '../../api/session.ts'

/** For the whole organization, a role needs these of whoever gives it. The API compares every right. */
const NEEDED: Record<Role, readonly string[]> = {
  owner: ['config.write', 'audit.export'],
  admin: ['config.write'],
  manager: ['members.write'],
  member: ['members.write'],
  auditor: ['members.write', 'audit.export'],
  billing: ['members.write', 'alerts.read'],
}
const ON_PROJECT: readonly Role[] = ['manager', 'member', 'auditor', 'billing']

/** The roles that the person may give there, as choices. */
export function grantableRoles(project: string): Partial<Record<Role, string>> {
  const roles = (project ? ON_PROJECT : (Object.keys(NEEDED) as Role[])).filter((role) =>
    project ? mayIn('members.write', project) : NEEDED[role].every((permission) => mayIn(permission)),
  )
  return Object.fromEntries(roles.map((role) => [role, role]))
}

type Places = readonly { id: string; name: string }[] | undefined

/** Where the person may give roles: the whole organization is the empty text. */
export function grantPlaces(projects: Places): Record<string, string> {
  const named = projects?.filter(({ id }) => mayIn('members.write', id)).map(({ id, name }) => [id, name])
  return { ...(mayIn('members.write') && { '': 'The whole organization' }), ...Object.fromEntries(named ?? []) }
}
