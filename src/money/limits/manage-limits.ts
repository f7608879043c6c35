import { randomBytes } from 'node:crypto'
import { amountAt, isRate, type Limit, type LimitKind } from '../../platform/config/spend-limits/limit.ts'
import { fromAmount, type LimitEntry, toAmount } from '../../platform/config/spend-limits/limit-entry.ts'
import type { ChangeLimitRequest, CreateLimitRequest, LimitBody } from '../../contract/admin/limits.ts'
import { problem } from '../../contract/problems.ts'
import { changedFields } from '../../tenants/audit/changes.ts'
import type { AuditEvent, Author } from '../../tenants/audit/author.ts'
import { audited } from '../../tenants/audit/audited.ts'
import { INSTALLATION, may } from '../../tenants/people/may.ts'
import { notYours } from '../../tenants/people/people-services.ts'
import type { Database } from '../../platform/store/database.ts'
import { releaseLost } from '../../platform/store/limits/leases.ts'
import { resetRate } from '../../platform/store/limits/rates.ts'
import { deleteLimit, insertLimit, replaceLimit, type StoredLimit } from '../../platform/store/limits/stored-limits.ts'
import { forgiveSession } from '../../platform/store/limits/sessions.ts'
import { forgiveSpent, setSpent } from '../../platform/store/limits/window-sums.ts'
import { storableJson } from '../../platform/store/json/storable-json.ts'
import { MAX_STORED_LIMITS, type StoredSettings } from './limit-cache.ts'
import { checkedLimit } from './checked-limit.ts'
import { entryWith, setByOf } from './limit-body.ts'
import { demandChange, visibleLimits } from './limit-rights.ts'
import { demandQuota, quotaOf } from './limit-quota.ts'
import { sessionBucket } from './match-limits.ts'
import type { Shares } from './shares.ts'
import { findLimit, type LimitsReader, lookUp, noSuchLimit, visibleLimit } from './show-limits.ts'
import { windowAt } from './windows.ts'

// Budgets and rate limits of the admin API. They are in the store; every process keeps a copy of all of them in memory. Every
// change is one transaction with its line in the audit log.

export type LimitServices = LimitsReader & {
  refreshLimits(): Promise<void>
  /** Absent where no calls are answered. */
  spendLimits?: { shares: Pick<Shares, 'freed'> }
  author: Author
}

/** Another request may change the limit between our read and our write. */
const MAX_TRIES = 5

export async function createLimit(
  kind: LimitKind,
  { id, ...body }: CreateLimitRequest,
  services: LimitServices,
): Promise<LimitBody> {
  if (id !== undefined) demandChoice(services)
  return await addLimit(
    kind,
    { ...entryWith(body), id: id ?? `limit-${randomBytes(ID_BYTES).toString('hex')}` },
    services,
  )
}

/** A limit whose id the gateway has chosen, or that the actor may choose. */
export async function addLimit(kind: LimitKind, entry: LimitEntry, services: LimitServices): Promise<LimitBody> {
  const limit = checkedLimit(entry, kind)
  const setBy = await demandChange([limit], services)
  const quota = quotaOf(limit, setBy)
  const settings = written({ kind, entry })
  const db = logged({ kind, id: entry.id, action: 'create', after: entry }, services)
  await refuseTaken(entry.id, services)
  if (!(await insertLimit(db, { id: entry.id, settings, max: MAX_STORED_LIMITS, quota }))) {
    await refuseTaken(entry.id, services)
    await demandQuota(services.db, quota)
    throw tooMany()
  }
  await services.refreshLimits()
  return await findLimit(kind, entry.id, services)
}

const ID_BYTES = 6

/**
 * Ids of limits are unique in the whole installation, and an id that is taken is refused. A person of one organization would
 * learn from that which limits other organizations have, so the gateway makes the ids of their limits.
 */
function demandChoice({ actor }: LimitServices): void {
  if (may(actor, 'limits.write', INSTALLATION)) return
  throw notYours('Your role does not let you choose the id. Leave it out: the gateway generates it.')
}

export async function changeLimit(
  kind: LimitKind,
  { id, body }: { id: string; body: ChangeLimitRequest },
  services: LimitServices,
): Promise<LimitBody> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { limit, stored } = await limitOfApi(kind, id, services)
    const { entry: before } = JSON.parse(stored.settings) as StoredSettings
    const entry = entryWith(body, before)
    const after = checkedLimit(entry, kind)
    const setBy = await demandChange([asSet(limit, stored), after], services)
    demandSameUnit(limit, after)
    const db = logged(
      { kind, id, action: 'update', ...changedFields(before, { ...removed(before), ...entry }) },
      services,
    )
    const isMoved = entry.appliesTo !== before.appliesTo || setBy !== setByOf(stored)
    const quota = isMoved ? quotaOf(after, setBy) : undefined
    await demandQuota(services.db, quota)
    if (!(await replaceLimit(db, { id, before: stored.settings, after: written({ kind, entry }), quota }))) continue
    await services.refreshLimits()
    return await findLimit(kind, id, services)
  }
  throw problem('conflict', { message: 'Others are changing this limit at the same time. Try again.' })
}

/** What was spent stays, and it was counted in the old unit: 5,000 tokens are not 5,000 requests. */
function demandSameUnit(before: Limit, after: Limit): void {
  if (before.unit === after.unit) return
  const message = `unit: what was spent of '${before.id}' was counted in ${before.unit}. Make another limit with another id, and delete this one.`
  throw problem('validation_error', { message, param: 'unit' })
}

export async function removeLimit(kind: LimitKind, id: string, services: LimitServices): Promise<void> {
  const { limit, stored } = await limitOfApi(kind, id, services)
  await demandChange([asSet(limit, stored)], services)
  const { entry } = JSON.parse(stored.settings) as StoredSettings
  await deleteLimit(logged({ kind, id, action: 'delete', before: entry }, services), id)
  await services.refreshLimits()
}

/** Frees what processes held that died; also of a limit of the config file. */
export async function releaseLeases(kind: LimitKind, id: string, services: LimitServices) {
  const { limit, stored } = await visibleLimit(kind, id, services)
  await demandChange([asSet(limit, stored)], services)
  const released = await releaseLost(logged({ kind, id, action: 'release' }, services), id)
  services.spendLimits?.shares.freed(id)
  return { released: fromAmount(released, limit.unit) }
}

/** Takes what was spent in the open window off the account of the limit. The ledger keeps it. */
export async function resetLimit(kind: LimitKind, id: string, services: LimitServices): Promise<LimitBody> {
  const { limit, stored } = await visibleLimit(kind, id, services)
  await demandChange([asSet(limit, stored)], services)
  const db = logged({ kind, id, action: 'reset' }, services)
  if (isRate(limit)) await resetRate(db, id)
  else await forgiveSpent(db, { limit: id, since: windowAt(limit, services.now()).start })
  services.spendLimits?.shares.freed(id)
  return await findLimit(kind, id, services)
}

/** Leaves this much of a budget in the open window, whatever was spent. The ledger keeps what was. */
export async function setLeft(id: string, left: number, services: LimitServices): Promise<LimitBody> {
  const { limit, stored } = await visibleLimit('budget', id, services)
  await demandChange([asSet(limit, stored)], services)
  const now = services.now()
  const spent = amountAt(limit, now) - toAmount(left, limit.unit)
  const db = logged({ kind: 'budget', id, action: 'set_left', after: { left } }, services)
  await setSpent(db, { limit: id, start: windowAt(limit, now).start, spent })
  services.spendLimits?.shares.freed(id)
  return await findLimit('budget', id, services)
}

/** Takes what one session has spent off its account of a limit. The ledger keeps it. */
export async function liftForSession(
  id: string,
  { key, session }: { key: string; session: string },
  services: LimitServices,
): Promise<void> {
  const { limit: found } = await lookUp(id, services)
  if (!found) throw noSuchLimit()
  const { limit, stored } = await visibleLimit(found.kind, id, services)
  await demandChange([asSet(limit, stored)], services)
  const db = logged({ kind: limit.kind, id, action: 'lift', after: { key, session } }, services)
  if (!(await forgiveSession(db, { limit: id, bucket: sessionBucket(key, session) }))) throw notCounted(id)
  services.spendLimits?.shares.freed(id)
}

function notCounted(id: string) {
  return problem('not_found', { message: `The limit '${id}' does not count this session at the moment.` })
}

type Logged = { kind: LimitKind; id: string; action: string } & Pick<AuditEvent, 'before' | 'after'>

/** The store for one change, which the audit log records with it. */
function logged({ kind, id, action, ...fields }: Logged, { db, author }: LimitServices): Database {
  return audited(db, author, { action: `${kind}.${action}`, object: `${kind}:${id}`, ...fields })
}

function removed(entry: LimitEntry): Record<string, null> {
  return Object.fromEntries(Object.keys(entry).map((name) => [name, null]))
}

function written(settings: StoredSettings): string {
  return storableJson(settings)
}

/** A limit, and with which rights it was set. */
function asSet(limit: Limit, stored: StoredLimit | undefined) {
  return { ...limit, setBy: setByOf(stored) }
}

/** A limit that can be changed here. */
async function limitOfApi(kind: LimitKind, id: string, services: LimitServices) {
  const { limit, stored } = await visibleLimit(kind, id, services)
  refuseOfFile(id, services)
  if (!stored) throw noSuchLimit()
  return { limit, stored }
}

function refuseOfFile(id: string, { config }: LimitServices): void {
  if (!config.spendLimits.some((limit) => limit.id === id)) return
  const message = `The limit '${id}' is in the config file. Change it there and reload the configuration.`
  throw problem('conflict', { message })
}

/** Of a limit that the actor may not see, it is only said that the id cannot be had: not where it is, nor what it limits. */
async function refuseTaken(id: string, services: LimitServices): Promise<void> {
  const { limit, stored } = await lookUp(id, services)
  if (!limit && !stored) return
  const isSeen = limit && (await visibleLimits([limit], services)).length > 0
  if (!isSeen) throw problem('conflict', { message: 'This id cannot be used. Choose another id.' })
  refuseOfFile(id, services)
  throw problem('conflict', { message: `There already is a limit '${id}'. PATCH changes it.` })
}

function tooMany() {
  return problem('conflict', {
    message: `There are ${MAX_STORED_LIMITS} limits already, which is the maximum. Delete a limit that is no longer needed.`,
  })
}
