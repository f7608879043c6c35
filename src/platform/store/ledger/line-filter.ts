import type { conditions } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import { isLineWithin, PLACE, type Reach } from '../people/reach.ts'
import { beginningOfRun } from './guardrail-runs.ts'
import { FAILED } from './line-columns.ts'
import { toNanos } from './money.ts'
import { DIMENSIONS, type Dimension } from './rollups.ts'

/** Which lines of the ledger are wanted. */
export type LineFilter = Partial<Record<Dimension, string>> & {
  endUser?: string | undefined
  session?: string | undefined
  agent?: string | undefined
  /** The batch that the calls are lines of. */
  batchId?: string | undefined
  tag?: { name: string; value: string } | undefined
  /** A status (`404`); `status` is its class (`4xx`). */
  exactStatus?: number | undefined
  code?: string | undefined
  /** In dollars. */
  minCost?: number | undefined
  maxCost?: number | undefined
  minDurationMs?: number | undefined
  maxDurationMs?: number | undefined
  /** Whether another model than the first one answered. */
  fallback?: boolean | undefined
  failed?: boolean | undefined
  /** Calls in which a guardrail did something, or only this; `passed`: in which it found nothing. */
  guardrail?: { id: string; outcome?: string | undefined } | undefined
  /** The id of the call, or the id that the caller gave to its request. Any caller may give one that a call of others has. */
  id?: string | undefined
  /** The id of the call, which no other call has. */
  callId?: string | undefined
  /** The id that the provider gave to one of the attempts. */
  upstreamId?: string | undefined
  /** What the actor may see. */
  reach?: Reach | undefined
}

type Conditions = ReturnType<typeof conditions>

const DIMENSION_NAMES = Object.keys(DIMENSIONS) as Dimension[]

/** Columns that have an index are compared as they are in the index. */
const INDEXED: Partial<Record<Dimension, string>> = { key: 'key_id', user: 'user_id' }

export function addFilter(where: Conditions, filter: LineFilter, kind: Database['kind']): void {
  for (const name of DIMENSION_NAMES) {
    const value = filter[name]
    if (value !== undefined) where.add(`${exactly(name, value)} = ?`, [value])
  }
  const { tag, fallback, failed, upstreamId, reach } = filter
  if (reach) where.add(...isLineWithin(reach, { ...PLACE, user: 'user_id' }))
  for (const [text, value] of comparisons(filter)) if (value !== undefined) where.add(text, [value])
  if (tag) addTag(where, tag, kind)
  if (fallback !== undefined)
    where.add(fallback ? `attempts > 1 AND ${otherFirst(kind)}` : `NOT (attempts > 1 AND ${otherFirst(kind)})`)
  if (failed !== undefined) where.add(failed ? `(${FAILED})` : `NOT (${FAILED})`)
  if (filter.guardrail) addGuardrail(where, filter.guardrail, kind)
  if (filter.id !== undefined) addId(where, filter.id, kind)
  if (filter.callId !== undefined) where.add(`${indexedId(kind)} = ?`, [filter.callId])
  if (upstreamId !== undefined) where.add(contains(kind, 'detail'), [JSON.stringify(upstreamId)])
}

/** Reading JSON takes five times as long as looking for a text in it, so only lines with the text are read. */
function addTag(where: Conditions, { name, value }: { name: string; value: string }, kind: Database['kind']): void {
  where.add(contains(kind, 'tags'), [JSON.stringify(value)])
  where.add(`(SELECT value FROM ${membersOf(kind, 'tags')} WHERE key = ?) = ?`, [name, value])
}

function addGuardrail(
  where: Conditions,
  { id, outcome }: NonNullable<LineFilter['guardrail']>,
  kind: Database['kind'],
): void {
  if (outcome === 'passed') where.add(contains(kind, 'guardrails_passed'), [JSON.stringify(id)])
  else where.add(`guardrails IS NOT NULL AND ${contains(kind, 'guardrails')}`, [beginningOfRun(id, outcome)])
}

function contains(kind: Database['kind'], column: string): string {
  return `${kind === 'postgres' ? 'strpos' : 'instr'}(${column}, ?) > 0`
}

/** An id of the caller gets one of ours behind it, after a point. */
function addId(where: Conditions, id: string, kind: Database['kind']): void {
  const column = indexedId(kind)
  where.add(`(${column} = ? OR (${column} >= ? AND ${column} < ?))`, [id, `${id}.`, `${id}/`])
}

export function indexedId(kind: Database['kind']): string {
  return kind === 'postgres' ? 'id COLLATE "C"' : 'id'
}

function exactly(name: Dimension, value: string): string {
  // Lines without a model keep the name that was asked for, though roll-ups do not count it.
  if (name === 'requested_model') return "COALESCE(requested_model, '')"
  return value === '' ? DIMENSIONS[name] : (INDEXED[name] ?? DIMENSIONS[name])
}

function comparisons(filter: LineFilter): [string, Value | undefined][] {
  return [
    ['end_user = ?', filter.endUser],
    ['session = ?', filter.session],
    ['agent = ?', filter.agent],
    ['batch_id = ?', filter.batchId],
    ['status = ?', filter.exactStatus],
    ['code = ?', filter.code],
    ['cost_nanos >= ?', nanosOf(filter.minCost)],
    ['cost_nanos <= ?', nanosOf(filter.maxCost)],
    ['duration_ms >= ?', filter.minDurationMs],
    ['duration_ms <= ?', filter.maxDurationMs],
  ]
}

function nanosOf(dollars: number | undefined): number | undefined {
  return dollars === undefined ? undefined : toNanos(dollars)!
}

function membersOf(kind: Database['kind'], column: string): string {
  return kind === 'postgres' ? `json_each_text(CAST(${column} AS JSON))` : `json_each(${column})`
}

/** The first attempt names its model only if that is not the model of the line. */
function otherFirst(kind: Database['kind']): string {
  const model = kind === 'postgres' ? "CAST(detail AS JSON) #>> '{a,0,0}'" : "json_extract(detail, '$.a[0][0]')"
  return `(${model}) IS NOT NULL`
}
