import { ErrorBody } from '../../../contract/errors.ts'
import { ConversationItemsRequest } from '../../../contract/responses/conversations.ts'
import { INCLUDE, ItemQuery, ResponseItemList } from '../../../contract/responses/stored-items.ts'
import { addItems } from '../../../endpoints/responses/conversations.ts'
import { listConversationItems, pageOf } from '../../../endpoints/responses/item-lists.ts'
import Type from '../../../base/schema/type.ts'
import { itemQuery } from '../responses/item-query.ts'
import { readerOf } from '../../memory-lease.ts'
import { route } from '../../define-route.ts'

const common = {
  path: '/v3/conversations/{conversation_id}/items',
  access: 'key',
  scope: 'chat',
  stores: true,
  noSuch: 'conversation',
} as const
const gone = { 404: { description: 'There is no such conversation or item.', schema: ErrorBody } }

export const create = route({
  ...common,
  method: 'POST',
  summary: 'Add items to a conversation',
  description: 'All of them are added, at the end and in order, or none. They get new ids.',
  body: ConversationItemsRequest,
  query: Type.Object({ include: INCLUDE }),
  replies: {
    200: { description: 'The items that were added.', schema: ResponseItemList },
    ...gone,
    413: { description: 'The conversation would get too large.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const include = request.query.include ?? []
    const { items } = request.body.value
    const added = await addItems(request.params.conversation_id, items, request.caller.owner, services.calls)
    return pageOf(added, { limit: added.length, include })
  },
})

export const list = route({
  ...common,
  method: 'GET',
  summary: 'List items of a conversation',
  query: ItemQuery,
  replies: { 200: { description: 'A page of items.', schema: ResponseItemList }, ...gone },
  handle: (request, _reply, services) =>
    listConversationItems(
      request.params.conversation_id,
      itemQuery(request.query),
      readerOf(request, services.calls),
      services.calls,
    ),
})
