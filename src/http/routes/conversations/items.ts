import type { FastifyReply, FastifyRequest } from 'fastify'
import { ErrorBody } from '../../../contract/errors.ts'
import { ConversationItemsRequest } from '../../../contract/responses/conversations.ts'
import { INCLUDE, ItemQuery, ResponseItemList } from '../../../contract/responses/stored-items.ts'
import { addItems } from '../../../responses/conversations.ts'
import { listConversationItems, pageOf } from '../../../responses/item-lists.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import Type from '../../../schema/type.ts'
import { readInclude, readItemQuery } from '../responses/item-query.ts'
import { readerOf } from '../../memory-lease.ts'
import type { HttpServices, Route } from '../../services.ts'

const common = {
  path: '/v3/conversations/{conversation_id}/items',
  access: 'key',
  scope: 'chat',
  stores: true,
} as const
const gone = { 404: { description: 'There is no such conversation or item, or not any more.', schema: ErrorBody } }

export const create: Route = {
  ...common,
  method: 'POST',
  summary: 'Add items to a conversation',
  description: 'All of them are added, next to each other and behind everything else, or none. They get new ids.',
  body: ConversationItemsRequest,
  query: Type.Object({ include: INCLUDE }),
  replies: {
    200: { description: 'The items that were added.', schema: ResponseItemList },
    ...gone,
    413: { description: 'The conversation would get too large.', schema: ErrorBody },
  },
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const include = readInclude(request)
    const { items } = (request.body as JsonBody).value as ConversationItemsRequest
    const added = await addItems(conversationIn(request), items, request.caller.owner, context)
    return pageOf(added, { limit: added.length, include })
  },
}

export const list: Route = {
  ...common,
  method: 'GET',
  summary: 'The items of a conversation',
  query: ItemQuery,
  replies: { 200: { description: 'A page of items.', schema: ResponseItemList }, ...gone },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    listConversationItems(conversationIn(request), readItemQuery(request), readerOf(request, context), context),
}

function conversationIn(request: FastifyRequest): string {
  return (request.params as { conversation_id: string }).conversation_id
}
