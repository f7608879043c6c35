import type { Limit, LimitKind } from '../../platform/config/spend-limits/limit.ts'
import type { LimitBody, LimitList } from '../../contract/admin/limits.ts'
import { problem } from '../../contract/problems.ts'
import type { Actor } from '../../tenants/people/actor.ts'
import type { Database } from '../../platform/store/database.ts'
import { findStoredLimit, readStoredLimits, type StoredLimit } from '../../platform/store/limits/stored-limits.ts'
import { MAX_STORED_LIMITS, readSettings, withStored } from './limit-cache.ts'
import { bodyOfLimit } from './limit-body.ts'
import { visibleLimits } from './limit-rights.ts'
import { visibleStates } from './visible-states.ts'

// Budgets and rate limits of the config file and of the admin API, for those who only look.

export type LimitsReader = {
  db: Database
  now(): number
  config: { spendLimits: readonly Limit[] }
  actor: Actor
}

export async function listLimits(
  kind: LimitKind,
  page: { limit: number; cursor?: string | undefined },
  services: LimitsReader,
): Promise<LimitList> {
  const stored = await readStoredLimits(services.db, MAX_STORED_LIMITS)
  const all = await visibleLimits(limitsOfKind(kind, stored, services), services)
  const following = all.filter(({ id }) => id > (page.cursor ?? ''))
  const shown = following.slice(0, page.limit)
  const states = await visibleStates(shown, services)
  const rows = new Map(stored.map((row) => [row.id, row]))
  const items = shown.map((limit) => {
    return bodyOfLimit(limit, states.get(limit.id)!, limit.ownedBy === 'api' ? rows.get(limit.id) : undefined)
  })
  return { items, next_cursor: following.length > page.limit ? items.at(-1)!.id : null }
}

/** By id. */
function limitsOfKind(kind: LimitKind, stored: readonly StoredLimit[], { config }: LimitsReader): Limit[] {
  const all = withStored(config.spendLimits, stored).filter((limit) => limit.kind === kind)
  return all.sort((one, other) => (one.id < other.id ? -1 : 1))
}

export async function findLimit(kind: LimitKind, id: string, services: LimitsReader): Promise<LimitBody> {
  const { limit, stored } = await visibleLimit(kind, id, services)
  const states = await visibleStates([limit], services)
  return bodyOfLimit(limit, states.get(id)!, stored)
}

/** A limit that the actor may not see answers as one that does not exist. */
export async function visibleLimit(kind: LimitKind, id: string, services: LimitsReader) {
  const { limit, stored } = await lookUp(id, services)
  if (limit?.kind !== kind || (await visibleLimits([limit], services)).length === 0) throw noSuchLimit()
  return { limit, stored }
}

/** Finds a limit, whether or not the actor may see it. A limit of the config file has no row; a row that cannot be read is no limit. */
export async function lookUp(id: string, { db, config }: LimitsReader) {
  const ofFile = config.spendLimits.find((limit) => limit.id === id)
  const stored = ofFile ? undefined : await findStoredLimit(db, id)
  return { limit: ofFile ?? (stored && readSettings(stored.settings)), stored }
}

export function noSuchLimit() {
  return problem('not_found', { message: 'There is no such limit.' })
}
