import type { Ground } from '../../../../platform/ground.ts'
import type { LineFilter } from '../../../../money/billing/usage-report.ts'
import { type CallIdQuery, GUARDRAIL_OUTCOMES, type LineQuery } from '../../../../contract/admin/line-filters.ts'
import { batchIdAtAnyDoor } from '../../../../jobs/batches/batch-ids.ts'
import type { Actor } from '../../../../tenants/people/actor.ts'
import { reachIn } from '../../../../tenants/people/may.ts'
import { valueError } from '../../../../base/schema/issue-messages.ts'
import { labelOf, withoutControls } from '../../../../base/schema/label.ts'
import { validationProblem } from '../../../problems.ts'
import { readTime } from '../../../query.ts'
import { DAY_MS } from '../../../../base/units/units.ts'

const MONTH_MS = 30 * DAY_MS

export function readSpan({ from, to }: Pick<LineQuery, 'from' | 'to'>, now: number): { from: number; to: number } {
  const until = readTime('to', to) ?? now + 1
  return { from: readTime('from', from) ?? until - MONTH_MS, to: until }
}

/** The filter of a query, without members for what it does not say. */
export function readFilter(query: LineQuery): LineFilter {
  const { organization, project, user, key, owner, session, agent, client, model, provider, endpoint, code } = query
  const filter: LineFilter = {
    organization,
    project,
    user,
    key,
    owner,
    client,
    model,
    provider,
    endpoint,
    code,
    session: asStored(session),
    agent: asStored(agent),
    endUser: labelIn(query.end_user),
    requested_model: labelIn(query.requested_model),
    tag: readTag(query.tag),
    guardrail: readGuardrail(query.guardrail),
    batchId: query.batch === undefined ? undefined : batchIdAtAnyDoor(query.batch),
    failed: query.failed,
    fallback: query.fallback,
    minCost: query.min_cost,
    maxCost: query.max_cost,
    minDurationMs: query.min_duration_ms,
    maxDurationMs: query.max_duration_ms,
    ...readStatus(query.status),
  }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
}

/** The filter of a query about the request log, with what the actor may see. */
export async function readVisible(
  query: Omit<LineQuery, 'from' | 'to'> & CallIdQuery,
  actor: Actor,
  services: Pick<Ground, 'db'>,
): Promise<LineFilter> {
  const { id, upstream_id: upstreamId } = query
  const ids = { ...(id !== undefined && { id }), ...(upstreamId !== undefined && { upstreamId }) }
  return { ...readFilter(query), ...ids, ...(await visibleLines(actor, services)) }
}

/** Managers see their projects, members their own calls. */
export async function visibleLines(actor: Actor, { db }: Pick<Ground, 'db'>): Promise<LineFilter> {
  const reach = await reachIn(actor, 'usage.read', db)
  return reach ? { reach } : {}
}

/** What the asker chose of a filter, for the audit log: what they may see follows from who they are. */
export function askedIn({ reach: _, ...chosen }: LineFilter = {}): Omit<LineFilter, 'reach'> {
  return chosen
}

/** The label that calls have for a name. */
function labelIn(name: string | undefined): string | undefined {
  return name === undefined ? undefined : labelOf(name)
}

/** Sessions and agents as calls have them. */
function asStored(id: string | undefined): string | undefined {
  return id === undefined ? undefined : withoutControls(id)
}

function readStatus(status: string | undefined): LineFilter {
  if (status === undefined) return {}
  if (/^[1-5]xx$/.test(status)) return { status }
  if (/^[1-5]\d\d$/.test(status)) return { exactStatus: Number(status) }
  throw refused('status', 'Value error, write a status such as 429, or a class such as 5xx')
}

function readTag(tag: string | undefined): LineFilter['tag'] {
  if (tag === undefined) return undefined
  const split = tag.indexOf('=')
  if (split > 0) return { name: withoutControls(tag.slice(0, split)), value: labelOf(tag.slice(split + 1)) }
  throw refused('tag', 'Value error, write a tag as name=value')
}

function readGuardrail(text: string | undefined): LineFilter['guardrail'] {
  if (text === undefined) return undefined
  // Ids have no colons.
  const [id = '', outcome, ...more] = text.split(':')
  const isOutcome = outcome === undefined || GUARDRAIL_OUTCOMES.some((known) => known === outcome)
  if (id !== '' && more.length === 0 && isOutcome) return outcome === undefined ? { id } : { id, outcome }
  throw refused(
    'guardrail',
    `Value error, write the id of a guardrail, or id:outcome with ${GUARDRAIL_OUTCOMES.join(', ')}`,
  )
}

function refused(name: string, msg: string) {
  return validationProblem([valueError(['query', name], msg)])
}
