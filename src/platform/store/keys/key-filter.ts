import type { KeyFilters } from '../../../contract/admin/keys.ts'
import { conditions } from '../conditions.ts'
import type { Value } from '../database.ts'
import { isWithin, type Reach } from '../people/reach.ts'
import { DEFAULT } from '../projects/projects.ts'

/** Which keys are meant. `reach` limits them to what the actor may see. */
export type KeyFilter = KeyFilters & { reach?: Reach | undefined }

const STATES: Record<NonNullable<KeyFilters['state']>, string> = {
  active: 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now_ms())',
  expired: 'revoked_at IS NULL AND expires_at <= now_ms()',
  revoked: 'revoked_at IS NOT NULL',
}

/** The access tokens of coding agents are no keys for people: they are shown as sessions, and end as those do. */
const NO_SESSION = `kind <> 'session'`

/** Conditions on `keys`, whose values are added to these. */
export function keyConditions(values: Value[], filter: KeyFilter) {
  const { project, user, state, name, reach } = filter
  const { add, where } = conditions(values)
  add(NO_SESSION)
  if (project !== undefined) add('project = ?', [project])
  if (user !== undefined) add('user_id = ?', [user])
  if (state !== undefined) add(`(${STATES[state]})`)
  if (name !== undefined) add("LOWER(name) LIKE LOWER(?) ESCAPE '!'", [containing(name)])
  // Admin keys belong to the whole installation.
  if (reach && !reach.organizations.includes(DEFAULT)) add(`kind <> 'admin'`)
  if (reach) add(...isWithin(reach))
  return { add, where }
}

function containing(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, (sign) => `!${sign}`)}%`
}
