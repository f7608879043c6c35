import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { writeAuditEvents } from '../../tenants/audit/audited.ts'
import { authorOfRequest } from './admin-auth.ts'
import type { ActiveServices } from '../services.ts'
import { MINUTE_MS } from '../../base/units/units.ts'

const NOT_ALLOWED = 403
/** What an actor was refused is in the audit log so often in a minute; what is above is counted. */
const PER_MINUTE = 60
const MAX_ACTORS = 10_000

type Minute = { since: number; noted: number; omitted: number }

/** Writes refusals of known actors into the audit log, before they are answered. A refusal never fails because of it. */
export function noteRefusals(active: ActiveServices, log: Pick<Logger, 'warn'> | undefined) {
  const minutes = new Map<string, Minute>()
  // Other answers are sent in the same turn: an error in the body that follows must not come before the answer.
  return (request: FastifyRequest, reply: FastifyReply, _: unknown, done: () => void): void => {
    if (reply.statusCode !== NOT_ALLOWED || !request.actor) return done()
    const { db, monotonic } = active.current.tenants
    const author = authorOfRequest(request)
    const omitted = countIn(minutes, author.actor, monotonic())
    if (omitted === undefined) return done()
    const after = omitted > 0 ? { earlier_refusals_not_listed: omitted } : null
    const event = { action: 'access.refuse', object: request.endpoint, after }
    const failed = (error: unknown) => log?.warn({ err: error }, 'a refusal is not in the audit log')
    void writeAuditEvents(db, author, event).catch(failed).finally(done)
  }
}

/** Returns how many refusals were left out before this one; undefined if this one is left out, too. */
function countIn(minutes: Map<string, Minute>, actor: string, now: number): number | undefined {
  const minute = minutes.get(actor)
  const isOver = !minute || now - minute.since >= MINUTE_MS
  if (isOver) {
    minutes.delete(actor)
    if (minutes.size >= MAX_ACTORS) minutes.delete(minutes.keys().next().value!)
    minutes.set(actor, { since: now, noted: 1, omitted: 0 })
    return minute?.omitted ?? 0
  }
  if (minute.noted >= PER_MINUTE) return void minute.omitted++
  minute.noted++
  return 0
}
