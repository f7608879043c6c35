import type { FastifyReply, FastifyRequest } from 'fastify'
import { ErrorBody } from '../../../contract/errors.ts'
import { ResponseEvent } from '../../../contract/events.ts'
import { problem } from '../../../contract/problems.ts'
import { INCLUDE } from '../../../contract/responses/stored-items.ts'
import Type from '../../../schema/type.ts'
import { DeletedResponse, ResponseObject } from '../../../contract/responses.ts'
import { findInBackground } from '../../../responses/background/read-background.ts'
import { dropResponse, showResponse } from '../../../responses/kept-responses.ts'
import { withDigits } from '../../../json/exact-numbers.ts'
import { followReply } from './follow-reply.ts'
import { readInclude } from './item-query.ts'
import { readerOf } from '../../memory-lease.ts'
import { openReply } from '../../open-reply.ts'
import { readCount, readWord } from '../../query.ts'
import type { HttpServices, Route } from '../../services.ts'

const path = '/v3/responses/{response_id}'
const gone = { 404: { description: 'There is no such response, or it has expired.', schema: ErrorBody } }

export const get: Route = {
  method: 'GET',
  path,
  access: 'key',
  scope: 'chat',
  summary: 'One of your responses',
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
  handle: async (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => {
    const { context } = services
    const { stream, starting_after } = request.query as Record<string, string | undefined>
    readInclude(request)
    if (readWord('stream', stream, ['true', 'false'], 'false') === 'true')
      return await followResponse(request, reply, services, readAfter(starting_after))
    const { response, exact } = await showResponse(idOf(request), readerOf(request, context), context)
    return withDigits(response, exact)
  },
}

export const remove: Route = {
  method: 'DELETE',
  path,
  access: 'key',
  scope: 'chat',
  summary: 'Delete one of your responses',
  replies: { 200: { description: 'It is deleted.', schema: DeletedResponse }, ...gone },
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const id = idOf(request)
    await dropResponse(id, request.caller.owner, context)
    return { id, object: 'response.deleted', deleted: true }
  },
}

async function followResponse(request: FastifyRequest, reply: FastifyReply, services: HttpServices, after: number) {
  const { context } = services
  const id = idOf(request)
  const found = await findInBackground(id, readerOf(request, context), context)
  if (!found) await showResponse(id, readerOf(request, context), context)
  if (!found?.isStreamed) throw cannotStream()
  return await followReply(openReply(request, reply, services, 'chat'), id, { after })
}

/** Numbers begin with 0. */
function readAfter(text: string | undefined): number {
  return text === '0' ? 0 : readCount('starting_after', text, 0, Number.MAX_SAFE_INTEGER) - (text === undefined ? 1 : 0)
}

function cannotStream() {
  const message = 'Only a response that was created with `background: true` and `stream: true` can be streamed.'
  return problem('bad_request', { message, param: 'stream', code: 'invalid_value' })
}

function idOf(request: FastifyRequest): string {
  return (request.params as { response_id: string }).response_id
}
