import { namesOf } from '../../../platform/store/ledger/names.ts'
import { findExpiringKeys } from '../../../platform/store/alerts/conditions-seen.ts'
import type { Look } from '../observation.ts'
import { DAY_MS } from '../../../base/units/units.ts'

/** Keys that end soon. A key that has ended is not mentioned any more: its callers know. */
export const lookAtKeys: Look = async ({ db, now, threshold }) => {
  const keys = await findExpiringKeys(db, now, now + threshold * DAY_MS)
  const names = await namesOf(db, 'project', [...new Set(keys.map(({ project }) => project))])
  return keys.map(({ id, name, project, expiresAt }) => {
    const expires = new Date(expiresAt).toISOString()
    const of = names.get(project) ?? project
    return {
      subject: `key:${id}`,
      level: 'high',
      value: Math.round(((expiresAt - now) / DAY_MS) * 10) / 10,
      threshold,
      summary: `The key "${name}" of the project ${of} expires at ${expires}.`,
      project,
      details: { key: id, key_name: name, project_name: of, expires_at: expires },
    }
  })
}
