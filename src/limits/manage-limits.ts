import { randomBytes } from 'node:crypto'
import { isRate, type Limit, type LimitKind } from '../config/spend-limits/limit.ts'
import { fromAmount, type LimitEntry } from '../config/spend-limits/limit-entry.ts'
import type { ChangeLimitRequest, CreateLimitRequest, LimitBody } from '../contract/admin/limits.ts'
import { problem } from '../contract/problems.ts'
import { changedFields } from '../audit/changes.ts'
import type { AuditEvent, Author } from '../audit/author.ts'
import { recorded } from '../audit/record.ts'
import { INSTALLATION, may } from '../people/may.ts'
import { notYours } from '../people/people-context.ts'
import type { Database } from '../store/database.ts'
import { releaseLost } from '../store/limits/leases.ts'
import { resetRate } from '../store/limits/rates.ts'
import { deleteLimit, insertLimit, replaceLimit, type StoredLimit } from '../store/limits/stored-limits.ts'
import { forgiveSpent } from '../store/limits/window-sums.ts'
import { storableJson } from '../store/json/storable-json.ts'
import { MAX_STORED_LIMITS, type StoredSettings } from './kept-limits.ts'
import { checkedLimit } from './checked-limit.ts'
import { entryWith, setByOf } from './limit-body.ts'
import { demandChange, visibleLimits } from './limit-rights.ts'
import { demandRoom, quotaOf } from './limit-quota.ts'
import type { Shares } from './shares.ts'
import { findLimit, type LimitsReader, lookUp, noSuchLimit, visibleLimit } from './show-limits.ts'
import { spanAt } from './windows.ts'

// Budgets and rate limits of the admin API. They are in the store; every process keeps a copy of all of them in memory. Every
// change is one transaction with its line in the audit log.

type LimitsContext = LimitsReader & {
  refreshLimits(): Promise<void>
  /** Absent where no calls are answered. */
  spendLimits?: { shares: Pick<Shares, 'freed'> }
  author: Author
}

/** Somebody else may change the limit between our look at it and our change. */
const MAX_TRIES = 5

export async function createLimit(
  kind: LimitKind,
  { id, ...body }: CreateLimitRequest,
  context: LimitsContext,
): Promise<LimitBody> {
  if (id !== undefined) demandChoice(context)
  const entry = { ...entryWith(body), id: id ?? `limit-${randomBytes(ID_BYTES).toString('hex')}` }
  const limit = checkedLimit(entry, kind)
  const setBy = await demandChange([limit], context)
  const quota = quotaOf(limit, setBy)
  const settings = written({ kind, entry })
  const db = logged({ kind, id: entry.id, action: 'create', after: entry }, context)
  await refuseTaken(entry.id, context)
  if (!(await insertLimit(db, { id: entry.id, settings, max: MAX_STORED_LIMITS, quota }))) {
    await refuseTaken(entry.id, context)
    await demandRoom(context.db, quota)
    throw tooMany()
  }
  await context.refreshLimits()
  return await findLimit(kind, entry.id, context)
}

const ID_BYTES = 6

/**
 * All limits share their ids, and an id that is taken cannot be had. Whoever does not run the installation would learn from that
 * which limits others have, so the gateway makes the ids of theirs.
 */
function demandChoice({ actor }: LimitsContext): void {
  if (may(actor, 'limits.write', INSTALLATION)) return
  throw notYours('Your role does not let you choose the id. Leave it out: the gateway makes one.')
}

export async function changeLimit(
  kind: LimitKind,
  { id, body }: { id: string; body: ChangeLimitRequest },
  context: LimitsContext,
): Promise<LimitBody> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { limit, stored } = await limitOfApi(kind, id, context)
    const { entry: before } = JSON.parse(stored.settings) as StoredSettings
    const entry = entryWith(body, before)
    const after = checkedLimit(entry, kind)
    const setBy = await demandChange([asSet(limit, stored), after], context)
    demandSameUnit(limit, after)
    const db = logged(
      { kind, id, action: 'update', ...changedFields(before, { ...removed(before), ...entry }) },
      context,
    )
    const isMoved = entry.appliesTo !== before.appliesTo || setBy !== setByOf(stored)
    const quota = isMoved ? quotaOf(after, setBy) : undefined
    await demandRoom(context.db, quota)
    if (!(await replaceLimit(db, { id, before: stored.settings, after: written({ kind, entry }), quota }))) continue
    await context.refreshLimits()
    return await findLimit(kind, id, context)
  }
  throw problem('conflict', { message: 'Others are changing this limit at the same time. Try again.' })
}

/** What was spent stays, and it was counted in the old unit: 5,000 tokens are not 5,000 requests. */
function demandSameUnit(before: Limit, after: Limit): void {
  if (before.unit === after.unit) return
  const message = `unit: what was spent of '${before.id}' was counted in ${before.unit}. Make another limit with another id, and delete this one.`
  throw problem('validation_error', { message, param: 'unit' })
}

export async function removeLimit(kind: LimitKind, id: string, context: LimitsContext): Promise<void> {
  const { limit, stored } = await limitOfApi(kind, id, context)
  await demandChange([asSet(limit, stored)], context)
  const { entry } = JSON.parse(stored.settings) as StoredSettings
  await deleteLimit(logged({ kind, id, action: 'delete', before: entry }, context), id)
  await context.refreshLimits()
}

/** Frees what processes held that died; also of a limit of the config file. */
export async function releaseLeases(kind: LimitKind, id: string, context: LimitsContext) {
  const { limit, stored } = await visibleLimit(kind, id, context)
  await demandChange([asSet(limit, stored)], context)
  const released = await releaseLost(logged({ kind, id, action: 'release' }, context), id)
  context.spendLimits?.shares.freed(id)
  return { released: fromAmount(released, limit.unit) }
}

/** Takes what was spent in the open window off the account of the limit. The ledger keeps it. */
export async function resetLimit(kind: LimitKind, id: string, context: LimitsContext): Promise<LimitBody> {
  const { limit, stored } = await visibleLimit(kind, id, context)
  await demandChange([asSet(limit, stored)], context)
  const db = logged({ kind, id, action: 'reset' }, context)
  if (isRate(limit)) await resetRate(db, id)
  else await forgiveSpent(db, { limit: id, since: spanAt(limit.window, limit.timezone, context.now()).start })
  context.spendLimits?.shares.freed(id)
  return await findLimit(kind, id, context)
}

type Logged = { kind: LimitKind; id: string; action: string } & Pick<AuditEvent, 'before' | 'after'>

/** The store for one change, which the audit log records with it. */
function logged({ kind, id, action, ...fields }: Logged, { db, author }: LimitsContext): Database {
  return recorded(db, author, { action: `${kind}.${action}`, object: `${kind}:${id}`, ...fields })
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
async function limitOfApi(kind: LimitKind, id: string, context: LimitsContext) {
  const { limit, stored } = await visibleLimit(kind, id, context)
  refuseOfFile(id, context)
  if (!stored) throw noSuchLimit()
  return { limit, stored }
}

function refuseOfFile(id: string, { config }: LimitsContext): void {
  if (!config.spendLimits.some((limit) => limit.id === id)) return
  const message = `The limit '${id}' is in the config file. Change it there and reload the configuration.`
  throw problem('conflict', { message })
}

/** Of a limit that the actor may not see, it is only said that the id cannot be had: not where it is, nor what it limits. */
async function refuseTaken(id: string, context: LimitsContext): Promise<void> {
  const { limit, stored } = await lookUp(id, context)
  if (!limit && !stored) return
  const isSeen = limit && (await visibleLimits([limit], context)).length > 0
  if (!isSeen) throw problem('conflict', { message: 'This id cannot be used. Choose another one.' })
  refuseOfFile(id, context)
  throw problem('conflict', { message: `There is a limit '${id}' already. PATCH changes it.` })
}

function tooMany() {
  return problem('conflict', {
    message: `There are ${MAX_STORED_LIMITS} limits already, and there cannot be more. Delete one that is no longer needed.`,
  })
}
