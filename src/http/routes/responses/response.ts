import type { FastifyReply, FastifyRequest } from 'fastify'
import { ErrorBody } from '../../../contract/errors.ts'
import { ResponseEvent } from '../../../contract/events.ts'
import { problem } from '../../../contract/problems.ts'
import { INCLUDE } from '../../../contract/responses/stored-items.ts'
import Type from '../../../base/schema/type.ts'
import { DeletedResponse, ResponseObject } from '../../../contract/responses.ts'
import { findInBackground } from '../../../endpoints/responses/background/read-background.ts'
import { dropResponse, showResponse } from '../../../endpoints/responses/stored-responses.ts'
import { withDigits } from '../../../translation/json/exact-numbers.ts'
import { followReply } from './follow-reply.ts'
import { readerOf } from '../../memory-lease.ts'
import { openReply } from '../../open-reply.ts'
import { route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'

const path = '/v3/responses/{response_id}'
/** The numbers of events begin with 0. */
const FROM_THE_FIRST = -1
const gone = { 404: { description: 'There is no such response, or it has expired.', schema: ErrorBody } }

export const get = route({
  method: 'GET',
  path,
  noSuch: 'response',
  access: 'key',
  scope: 'chat',
  summary: 'Get a response',
  description:
    'A response in the background is returned in its current state. If it was created with `stream: true`, ' +
    '`?stream=true` sends its events, from the first or after the one that `starting_after` names, until it has ended. After ' +
    'a crash the response is made again: its stream then goes on with another `response.created`.',
  query: Type.Object({
    stream: Type.Optional(Type.Boolean({ description: 'Send the events of a response in the background.' })),
    starting_after: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The `sequence_number` of the last event that you have.' }),
    ),
    include: INCLUDE,
  }),
  replies: {
    200: { description: 'The response.', schema: ResponseObject, events: ResponseEvent },
    400: { description: 'This response cannot be streamed.', schema: ErrorBody },
    ...gone,
  },
  handle: async (request, reply, services) => {
    const { stream, starting_after: after = FROM_THE_FIRST } = request.query
    if (stream) return await followResponse(request, reply, services, { id: request.params.response_id, after })
    const { response, exact } = await showResponse(
      request.params.response_id,
      readerOf(request, services.calls),
      services.calls,
    )
    return withDigits(response, exact)
  },
})

export const remove = route({
  method: 'DELETE',
  path,
  noSuch: 'response',
  access: 'key',
  scope: 'chat',
  summary: 'Delete a response',
  replies: { 200: { description: 'The response is deleted.', schema: DeletedResponse }, ...gone },
  handle: async (request, _reply, services) => {
    const id = request.params.response_id
    await dropResponse(id, request.caller.owner, services.jobs)
    return { id, object: 'response.deleted' as const, deleted: true }
  },
})

type Following = { id: string; after: number }

async function followResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
  { id, after }: Following,
) {
  const found = await findInBackground(id, readerOf(request, services.calls), services.calls)
  if (!found) await showResponse(id, readerOf(request, services.calls), services.calls)
  if (!found?.isStreamed) throw cannotStream()
  return await followReply(openReply(request, reply, services, 'chat'), id, { after })
}

function cannotStream() {
  const message = 'Only a response that was created with `background: true` and `stream: true` can be streamed.'
  return problem('bad_request', { message, param: 'stream', code: 'invalid_value' })
}
