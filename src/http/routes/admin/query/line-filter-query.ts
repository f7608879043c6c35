import type { FastifyRequest } from 'fastify'
import type { AppContext } from '../../../../app/context.ts'
import type { LineFilter } from '../../../../billing/usage-report.ts'
import type { Actor } from '../../../../people/actor.ts'
import { reachIn } from '../../../../people/may.ts'
import { extra, valueError, wrongType } from '../../../../schema/issue-messages.ts'
import { labelOf, withoutControls } from '../../../../schema/label.ts'
import { validationProblem } from '../../../problems.ts'
import { readText, readTime } from '../../../query.ts'
import { DAY_MS } from '../../../../units/units.ts'

const MONTH_MS = 30 * DAY_MS
const MAX_VALUE_CHARS = 300
const MAX_LABEL_CHARS = 1_000

type Query = Record<string, unknown>

/** Refuses names that the route does not have: a filter with a typo would show everything. */
export function knownQuery(request: FastifyRequest, known: Readonly<Record<string, unknown>>): Query {
  const query = request.query as Query
  const unknown = Object.keys(query).filter((name) => !Object.hasOwn(known, name))
  if (unknown.length > 0) throw validationProblem(unknown.slice(0, 10).map((name) => extra(['query', name])))
  return query
}

export function readSpan({ from, to }: Query, now: number): { from: number; to: number } {
  const until = readTime('to', textOf('to', to), now + 1)
  return { from: readTime('from', textOf('from', from), until - MONTH_MS), to: until }
}

/** The filter of a query, without members for what it does not say. */
export function readFilter(query: Query): LineFilter {
  const { status, tag } = query
  const filter: LineFilter = {
    ...{ organization: textIn(query, 'organization'), project: textIn(query, 'project'), user: textIn(query, 'user') },
    ...{ key: textIn(query, 'key'), owner: textIn(query, 'owner'), endUser: labelIn(query, 'end_user') },
    ...{ requested_model: labelIn(query, 'requested_model'), model: textIn(query, 'model') },
    ...{ provider: textIn(query, 'provider'), endpoint: textIn(query, 'endpoint'), code: textIn(query, 'code') },
    ...{ failed: flagIn(query, 'failed'), fallback: flagIn(query, 'fallback'), tag: readTag(tag) },
    ...{ minCost: numberIn(query, 'min_cost'), maxCost: numberIn(query, 'max_cost') },
    ...{ minDurationMs: numberIn(query, 'min_duration_ms'), maxDurationMs: numberIn(query, 'max_duration_ms') },
    ...readStatus(status),
  }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
}

/** The filter of a query about the request log, with what the actor may see. */
export async function readVisible(query: Query, actor: Actor, context: Pick<AppContext, 'db'>): Promise<LineFilter> {
  const id = textIn(query, 'id')
  const upstreamId = textIn(query, 'upstream_id')
  const ids = { ...(id !== undefined && { id }), ...(upstreamId !== undefined && { upstreamId }) }
  return { ...readFilter(query), ...ids, ...(await visibleLines(actor, context)) }
}

/** Managers see their projects, members their own calls. */
export async function visibleLines(actor: Actor, { db }: Pick<AppContext, 'db'>): Promise<LineFilter> {
  const reach = await reachIn(actor, 'usage.read', db)
  return reach ? { reach } : {}
}

/** What the asker chose of a filter, for the audit log: what they may see follows from who they are. */
export function askedIn({ reach: _, ...asked }: LineFilter = {}): Omit<LineFilter, 'reach'> {
  return asked
}

export function textIn(query: Query, name: string): string | undefined {
  return readText(name, query[name], MAX_VALUE_CHARS)
}

/** The label that calls have for a name. Callers may choose long names. */
function labelIn(query: Query, name: string): string | undefined {
  const text = readText(name, query[name], MAX_LABEL_CHARS)
  return text === undefined ? undefined : labelOf(text)
}

function textOf(name: string, value: unknown): string | undefined {
  return readText(name, value, MAX_VALUE_CHARS)
}

function readStatus(value: unknown): LineFilter {
  const status = textOf('status', value)
  if (status === undefined) return {}
  if (/^[1-5]xx$/.test(status)) return { status }
  if (/^[1-5]\d\d$/.test(status)) return { exactStatus: Number(status) }
  throw refused('status', 'Value error, write a status such as 429, or a class such as 5xx')
}

function readTag(value: unknown): LineFilter['tag'] {
  const text = textOf('tag', value)
  if (text === undefined) return undefined
  const split = text.indexOf('=')
  if (split > 0) return { name: withoutControls(text.slice(0, split)), value: labelOf(text.slice(split + 1)) }
  throw refused('tag', 'Value error, write a tag as name=value')
}

function flagIn(query: Query, name: string): boolean | undefined {
  const text = textIn(query, name)
  if (text === undefined || text === 'true' || text === 'false') return text === undefined ? undefined : text === 'true'
  throw validationProblem([wrongType(['query', name], 'boolean')])
}

function numberIn(query: Query, name: string): number | undefined {
  const text = textIn(query, name)
  if (text === undefined) return undefined
  if (/^\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text)
  throw validationProblem([wrongType(['query', name], 'number')])
}

function refused(name: string, msg: string) {
  return validationProblem([valueError(['query', name], msg)])
}
