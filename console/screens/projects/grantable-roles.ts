import type { ProjectBody } from '../../../src/contract/admin/projects.ts'
import type { Role } from '../../../src/contract/admin/roles.ts'
import { homeOf, mayIn, type RoleScope } from '../../api/session.ts'

/** The permissions that a person needs to give a role on a whole organization. The API compares every right. */
const NEEDED: Record<Role, readonly string[]> = {
  owner: ['organization.write', 'audit.export'],
  admin: ['organization.write'],
  manager: ['members.write'],
  member: ['members.write'],
  auditor: ['members.write', 'audit.export'],
  billing: ['members.write', 'organization.read'],
}
const ON_PROJECT: readonly Role[] = ['manager', 'member', 'auditor', 'billing']

/** The roles that the person may give there, as choices. */
export function grantableRoles(place: RoleScope): Partial<Record<Role, string>> {
  const { project, organization } = place
  const mayGive = (role: Role) =>
    project ? mayIn('members.write', place) : NEEDED[role].every((one) => mayIn(one, { organization }))
  const roles = (project ? ON_PROJECT : (Object.keys(NEEDED) as Role[])).filter(mayGive)
  return Object.fromEntries(roles.map((role) => [role, role]))
}

/** Where the person may give roles, by the id of the project: the empty one is the whole organization. */
export function grantScopes(projects: readonly ProjectBody[]): ReadonlyMap<string, RoleScope & { name: string }> {
  const home = homeOf('members.write')
  const led = projects.map(({ id, name, organization }) => ({ name, organization, project: id }))
  const places = led.filter((place) => mayIn('members.write', place))
  const whole = home === undefined ? [] : [{ name: 'The whole organization', organization: home, project: '' }]
  return new Map([...whole, ...places].map((place) => [place.project, place]))
}
