import type { FastifyReply, FastifyRequest } from 'fastify'
import { ErrorBody } from '../../../contract/errors.ts'
import { ItemQuery, ResponseItemList } from '../../../contract/responses/stored-items.ts'
import { listInputItems } from '../../../responses/item-lists.ts'
import { readItemQuery } from './item-query.ts'
import { readerOf } from '../../memory-lease.ts'
import type { HttpServices, Route } from '../../services.ts'

export default {
  method: 'GET',
  path: '/v3/responses/{response_id}/input_items',
  access: 'key',
  scope: 'chat',
  summary: 'What one of your responses was made from',
  description: 'All items that the model got, including those of earlier responses and of the conversation.',
  query: ItemQuery,
  replies: {
    200: { description: 'A page of items.', schema: ResponseItemList },
    404: { description: 'There is no such response or item, or it has expired.', schema: ErrorBody },
  },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { response_id } = request.params as { response_id: string }
    return listInputItems(response_id, readItemQuery(request), readerOf(request, context), context)
  },
} satisfies Route
