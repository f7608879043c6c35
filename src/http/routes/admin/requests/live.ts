import { isDeepStrictEqual } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CALL_IDS, LINE_FILTERS } from '../../../../contract/admin/line-filters.ts'
import { LiveRequestEvent } from '../../../../contract/admin/requests.ts'
import { ErrorBody } from '../../../../contract/errors.ts'
import type { Actor } from '../../../../people/actor.ts'
import { reachIn } from '../../../../people/may.ts'
import Type from '../../../../schema/type.ts'
import { actorOf, authorOfRequest } from '../../../admin/admin-auth.ts'
import { EventFeed } from '../../../event-feed.ts'
import type { HttpServices, Route } from '../../../services.ts'
import { knownQuery, readVisible } from '../line-filter-query.ts'

const { from: _from, to: _to, ...FILTERS } = LINE_FILTERS
const LiveQuery = { ...FILTERS, ...CALL_IDS }

export default {
  method: 'GET',
  path: '/admin/requests/live',
  access: 'admin',
  permission: 'usage.read',
  summary: 'The request log as it grows',
  description:
    'Server-sent events: `request` with a call that has ended, in any process of this installation, about a second or two ' +
    'after its end; `dropped` with the number of calls that were left out, because you read too slowly or there were too ' +
    'many. The filters are those of the request log. You may have four of these streams in each process; they end ' +
    'with your session, and when your role changes.',
  query: Type.Object(LiveQuery),
  replies: {
    200: { description: 'Events, until you or the gateway end them.', events: LiveRequestEvent },
    429: { description: 'You have too many of these streams.', schema: ErrorBody },
  },
  handle: (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => {
    const filter = readVisible(knownQuery(request, LiveQuery), request.actor)
    if (request.method === 'HEAD') return reply.type('text/event-stream').send()
    follow({ request, reply, services }, filter)
    return reply
  },
} satisfies Route

type Asked = { request: FastifyRequest; reply: FastifyReply; services: HttpServices }

/** The place among the followers is taken first: whoever has too many gets an answer and not a stream. */
function follow({ request, reply, services }: Asked, filter: ReturnType<typeof readVisible>): void {
  const { context } = services
  let feed: EventFeed | undefined
  const leave = context.liveRequests.follow({
    name: nameOf(request),
    filter,
    send: (lines, dropped) => {
      feed?.drop(dropped)
      for (const line of lines) feed?.send('request', line)
    },
    mayGoOn: async () => hasSameReach(request.actor, await actorOf(request, context, false)),
    end: () => {
      leave()
      feed?.end()
    },
  })
  feed = new EventFeed(request, reply, services)
  reply.raw.once('close', leave)
}

/** A person with several sessions has several places. */
function nameOf(request: FastifyRequest): string {
  return request.actor.session ?? authorOfRequest(request).actor
}

function hasSameReach(before: Actor, now: Actor | undefined): boolean {
  return now !== undefined && isDeepStrictEqual(reachIn(before, 'usage.read'), reachIn(now, 'usage.read'))
}
