import { randomUUID } from 'node:crypto'
import type { Limit, LimitKind } from '../config/spend-limits/limit.ts'
import { fromAmount, type LimitEntry, limitOf } from '../config/spend-limits/limit-entry.ts'
import type { ChangeLimitRequest, CreateLimitRequest, LimitBody, LimitList } from '../contract/admin/limits.ts'
import { problem } from '../contract/problems.ts'
import type { Database, Statement } from '../store/database.ts'
import { releaseLost } from '../store/limits/leases.ts'
import {
  deleteLimit,
  findStoredLimit,
  insertLimit,
  readStoredLimits,
  replaceLimit,
} from '../store/limits/stored-limits.ts'
import { forgiveSpent } from '../store/limits/window-sums.ts'
import { MAX_STORED_LIMITS, readSettings, type StoredSettings } from './kept-limits.ts'
import { bodyOfLimit, entryWith, spellingOf } from './limit-body.ts'
import { statesOf } from './limit-states.ts'
import { spanAt } from './windows.ts'

// Budgets and rate limits of the admin API. They are in the store; every process keeps a copy of all of them in memory. Every
// change is one transaction, to which the caller may add statements.

export type LimitsContext = {
  db: Database
  now(): number
  config: { spendLimits: readonly Limit[] }
  refreshLimits(): Promise<void>
}

type Further = readonly Statement[]
/** Somebody else may change the limit between our look at it and our change. */
const MAX_TRIES = 5

export async function listLimits(
  kind: LimitKind,
  page: { limit: number; cursor?: string | undefined },
  context: LimitsContext,
): Promise<LimitList> {
  const stored = await readStoredLimits(context.db, MAX_STORED_LIMITS)
  const ofFile = context.config.spendLimits.filter((limit) => limit.kind === kind)
  const taken = new Set(context.config.spendLimits.map(({ id }) => id))
  const ofApi = stored.flatMap(({ id, settings }) => (taken.has(id) ? [] : (readSettings(settings) ?? [])))
  const all = [...ofFile, ...ofApi.filter((limit) => limit.kind === kind)].sort((one, other) =>
    one.id < other.id ? -1 : 1,
  )
  const left = all.filter(({ id }) => id > (page.cursor ?? ''))
  const shown = left.slice(0, page.limit)
  const states = await statesOf(context.db, shown, context.now())
  const rows = new Map(stored.map((row) => [row.id, row]))
  const items = shown.map((limit) => {
    return bodyOfLimit(limit, states.get(limit.id)!, limit.ownedBy === 'api' ? rows.get(limit.id) : undefined)
  })
  return { items, next_cursor: left.length > page.limit ? items.at(-1)!.id : null }
}

export async function findLimit(kind: LimitKind, id: string, context: LimitsContext): Promise<LimitBody> {
  const ofFile = context.config.spendLimits.find((limit) => limit.id === id)
  const stored = ofFile ? undefined : await findStoredLimit(context.db, id)
  const limit = ofFile ?? (stored && readSettings(stored.settings))
  if (limit?.kind !== kind) throw noSuchLimit()
  const states = await statesOf(context.db, [limit], context.now())
  return bodyOfLimit(limit, states.get(id)!, stored)
}

export async function createLimit(
  kind: LimitKind,
  { id, ...body }: CreateLimitRequest,
  context: LimitsContext,
  further: Further = [],
): Promise<LimitBody> {
  const entry = { ...entryWith(body as ChangeLimitRequest), id: id ?? `limit-${randomUUID().slice(0, 8)}` }
  checked(entry, kind)
  refuseOfFile(entry.id, context)
  const settings = written(kind, entry)
  if (!(await insertLimit(context.db, { id: entry.id, settings, max: MAX_STORED_LIMITS }, further)))
    throw (await findStoredLimit(context.db, entry.id)) ? taken(entry.id) : tooMany()
  await context.refreshLimits()
  return await findLimit(kind, entry.id, context)
}

export async function changeLimit(
  kind: LimitKind,
  { id, body }: { id: string; body: ChangeLimitRequest },
  context: LimitsContext,
  further: Further = [],
): Promise<LimitBody> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { settings } = await storedLimit(kind, id, context)
    const { entry: before } = JSON.parse(settings) as StoredSettings
    const entry = entryWith(body, before)
    checked(entry, kind)
    if (!(await replaceLimit(context.db, { id, before: settings, after: written(kind, entry) }, further))) continue
    await context.refreshLimits()
    return await findLimit(kind, id, context)
  }
  throw problem('conflict', { message: 'Others are changing this limit at the same time. Try again.' })
}

export async function removeLimit(kind: LimitKind, id: string, context: LimitsContext, further: Further = []) {
  await storedLimit(kind, id, context)
  await deleteLimit(context.db, id, further)
  await context.refreshLimits()
}

/** Frees what processes held that died; also of a limit of the config file. */
export async function releaseLeases(kind: LimitKind, id: string, context: LimitsContext, further: Further = []) {
  const { unit } = await findLimit(kind, id, context)
  return { released: fromAmount(await releaseLost(context.db, id, further), unit) }
}

/** Takes what was spent in the open window off the account of the limit. The ledger keeps it. */
export async function resetLimit(kind: LimitKind, id: string, context: LimitsContext, further: Further = []) {
  const { window, timezone } = await findLimit(kind, id, context)
  const { start } = spanAt(window, timezone ?? 'UTC', context.now())
  await forgiveSpent(context.db, { limit: id, since: start }, further)
  return await findLimit(kind, id, context)
}

function written(kind: LimitKind, entry: LimitEntry): string {
  return JSON.stringify({ kind, entry } satisfies StoredSettings)
}

function checked(entry: LimitEntry, kind: LimitKind): Limit {
  const limit = limitOf(entry, kind, 'api')
  if (!Array.isArray(limit)) return limit
  const detail = limit.map((fault) => ({ loc: ['body', spellingOf(fault)], msg: fault.msg, type: 'value_error' }))
  const { loc, msg } = detail[0]!
  throw problem('validation_error', { message: `${loc[1]}: ${msg}`, param: loc[1]!, detail })
}

/** A limit that can be changed here. */
async function storedLimit(kind: LimitKind, id: string, context: LimitsContext) {
  refuseOfFile(id, context)
  const stored = await findStoredLimit(context.db, id)
  if (!stored || readSettings(stored.settings)?.kind !== kind) throw noSuchLimit()
  return stored
}

function refuseOfFile(id: string, { config }: LimitsContext): void {
  if (!config.spendLimits.some((limit) => limit.id === id)) return
  const message = `The limit '${id}' is in the config file. Change it there and reload the configuration.`
  throw problem('conflict', { message })
}

function taken(id: string) {
  return problem('conflict', { message: `There is a limit '${id}' already. PATCH changes it.` })
}

function tooMany() {
  return problem('conflict', { message: `There are ${MAX_STORED_LIMITS} limits already, which is the limit.` })
}

function noSuchLimit() {
  return problem('not_found', { message: 'There is no such limit.' })
}
