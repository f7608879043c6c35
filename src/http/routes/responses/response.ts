import type { FastifyReply, FastifyRequest } from 'fastify'
import { ErrorBody } from '../../../contract/errors.ts'
import { DeletedResponse, ResponseObject } from '../../../contract/responses.ts'
import { dropResponse, findResponse } from '../../../chat/responses-store.ts'
import { withDigits } from '../../../json/exact-numbers.ts'
import { readerOf } from '../../memory-lease.ts'
import type { HttpServices, Route } from '../../services.ts'

const path = '/v3/responses/{response_id}'
const gone = { 404: { description: 'There is no such response, or it has expired.', schema: ErrorBody } }

export const get: Route = {
  method: 'GET',
  path,
  access: 'key',
  scope: 'chat',
  summary: 'One of your responses',
  replies: { 200: { description: 'The response.', schema: ResponseObject }, ...gone },
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { response, exact } = await findResponse(idOf(request), readerOf(request, context), context)
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

function idOf(request: FastifyRequest): string {
  return (request.params as { response_id: string }).response_id
}
