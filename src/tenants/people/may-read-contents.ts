import type { ContentSettings } from '../../contract/admin/content.ts'
import type { Actor } from './actor.ts'
import { may, type Owned } from './may.ts'

/**
 * Whether an actor may read what callers wrote and got: of calls, jobs and webhooks alike. Owners and admins may; members
 * what was done with their own keys; managers if the settings of the project say so.
 */
export function mayReadContents(actor: Actor, object: Owned, settings: ContentSettings | null | undefined): boolean {
  if (!may(actor, 'content.read', object)) return false
  const { organization, user } = object
  if (may(actor, 'projects.create', { organization }) || (user != null && user === actor.id)) return true
  return settings?.managers_read === true
}
