import { isDeepStrictEqual } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LineFilter } from '../../../../money/billing/usage-report.ts'
import { CALL_IDS, LINE_FILTERS } from '../../../../contract/admin/line-filters.ts'
import { LiveRequestEvent } from '../../../../contract/admin/requests.ts'
import { ErrorBody } from '../../../../contract/errors.ts'
import { closed } from '../../../../base/schema/fields.ts'
import Type from '../../../../base/schema/type.ts'
import { actorOf, authorOfRequest } from '../../../admin/admin-auth.ts'
import { EventFeed } from '../../../event-feed.ts'
import { route } from '../../../define-route.ts'
import type { HttpServices } from '../../../route.ts'
import { whenClosed } from '../../../when-closed.ts'
import { readVisible, visibleLines } from '../query/line-filter-query.ts'

const { from: _from, to: _to, ...FILTERS } = LINE_FILTERS

export default route({
  method: 'GET',
  path: '/admin/requests/live',
  access: 'admin',
  permission: 'usage.read',
  summary: 'Follow the request log',
  description:
    'Server-sent events: `request` with a call that has ended, in any process of this installation, about a second or two ' +
    'after its end; `dropped` with the number of calls that were left out, because you read too slowly or there were too ' +
    'many. The filters are those of the request log. You may have four of these streams in each process; they end ' +
    'with your session, and when your role changes.',
  query: Type.Object({ ...FILTERS, ...CALL_IDS }, closed),
  replies: {
    200: { description: 'Events, until you or the gateway end them.', events: LiveRequestEvent },
    429: { description: 'You have too many of these streams.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const filter = await readVisible(request.query, request.actor, services.money)
    if (request.method === 'HEAD') return reply.type('text/event-stream').send()
    follow({ request, reply, services }, filter)
    return reply
  },
})

type LiveContext = { request: FastifyRequest; reply: FastifyReply; services: HttpServices }

/** The follower is registered first: an actor with too many followers gets an error and not a stream. */
function follow({ request, reply, services }: LiveContext, filter: LineFilter): void {
  let feed: EventFeed | undefined
  const leave = services.money.liveRequests.follow({
    name: authorOfRequest(request).actor,
    filter,
    send: (lines, dropped) => {
      feed?.drop(dropped)
      for (const line of lines) feed?.send('request', line)
    },
    mayGoOn: async () => {
      const actor = await actorOf(request, services.tenants, false)
      return actor !== undefined && hasReach(filter, await visibleLines(actor, services.money))
    },
    end: () => {
      leave()
      feed?.end()
    },
  })
  feed = new EventFeed(request, reply, services)
  whenClosed(reply.raw, leave)
}

/** A role may change, and so may what it reaches: a role on the only organization reaches no second one. */
function hasReach({ reach }: LineFilter, { reach: now }: LineFilter): boolean {
  return isDeepStrictEqual(reach, now)
}
