import type { Grant, OidcIssuer } from '../../../platform/config/auth/auth.ts'
import type { Membership } from '../../people/actor.ts'
import { DEFAULT_ORGANIZATION } from '../../../platform/store/people/reach.ts'
import { hasRightsOf } from '../../people/grants.ts'

/**
 * Whether the word of a provider is enough to say who has these roles. It is for roles that the config file lets the provider
 * give anyway. Otherwise a provider for members could open the account of an owner by naming the owner's e-mail address.
 */
export function mayVouchFor({ groups, otherwise }: OidcIssuer, roles: readonly Membership[]): boolean {
  const grants = [...groups.map(({ grant }) => grant), ...(otherwise ? [otherwise] : [])]
  return roles.every((membership) => {
    const memberships = grants.flatMap((grant) => grantedAt(grant, membership) ?? [])
    return hasRightsOf({ memberships }, [membership], membership)
  })
}

/** The grant as a role that holds where the other role does; undefined if it cannot be given there. */
function grantedAt({ role, project }: Grant, membership: Membership): Membership | undefined {
  if (project === null) return { organization: DEFAULT_ORGANIZATION, project: null, role }
  return membership.project !== null && canName(project, membership.project) ? { ...membership, role } : undefined
}

/** Whether a name with `$1` in it becomes this name if `$1` stands for the right text. */
function canName(template: string, name: string): boolean {
  const parts = template.split('$1')
  const places = parts.length - 1
  if (places === 0) return template === name
  const chars = (name.length - parts.join('').length) / places
  const star = name.slice(parts[0]!.length, parts[0]!.length + chars)
  return chars > 0 && template.replaceAll('$1', () => star) === name
}
