import type { Grant, OidcIssuer } from '../../../platform/config/auth/auth.ts'
import { ROLES } from '../../../contract/admin/roles.ts'
import { projectOf, starOf } from '../../jwt/patterns.ts'
import type { Profile } from './profile.ts'

/** What the groups of a person give: at most one role on the organization, and one on each project. */
export function grantsOf({ groups: rules, otherwise }: OidcIssuer, { groups }: Pick<Profile, 'groups'>): Grant[] {
  const given = rules.flatMap(({ pattern, grant }) => groups.flatMap((group) => grantFor(pattern, grant, group) ?? []))
  return strongest(given.length > 0 || !otherwise ? given : [otherwise])
}

function grantFor(pattern: string, { role, project }: Grant, group: string): Grant | undefined {
  if (project === null) return starOf(pattern, group) === undefined ? undefined : { role, project }
  const named = projectOf(pattern, project, group)
  return named === undefined ? undefined : { role, project: named }
}

/** Several groups may give several roles in one place. The list of roles has the strongest first. */
function strongest(grants: readonly Grant[]): Grant[] {
  const best = new Map<string | null, Grant>()
  for (const grant of grants) {
    const other = best.get(grant.project)
    if (!other || ROLES.indexOf(grant.role) < ROLES.indexOf(other.role)) best.set(grant.project, grant)
  }
  return [...best.values()]
}
