import { ErrorBody } from '../../../../contract/errors.ts'
import { Conversation } from '../../../../contract/responses/conversations.ts'
import { INCLUDE } from '../../../../contract/responses/stored-items.ts'
import { ResponseItem } from '../../../../contract/responses.ts'
import { showConversation } from '../../../../endpoints/responses/conversations.ts'
import { dropConversationItem, showConversationItem } from '../../../../endpoints/responses/item-lists.ts'
import Type from '../../../../base/schema/type.ts'
import { route } from '../../../define-route.ts'

const path = '/v3/conversations/{conversation_id}/items/{conversation_item_id}'
const common = { path, access: 'key', scope: 'chat', noSuch: 'conversation' } as const
const gone = { 404: { description: 'There is no such conversation or item.', schema: ErrorBody } }

export const get = route({
  ...common,
  method: 'GET',
  summary: 'Get an item of a conversation',
  query: Type.Object({ include: INCLUDE }),
  replies: { 200: { description: 'The item.', schema: ResponseItem }, ...gone },
  handle: (request, _reply, services) =>
    showConversationItem(
      { ...itemRef(request.params), include: request.query.include ?? [] },
      request.caller.owner,
      services.calls,
    ),
})

export const remove = route({
  ...common,
  method: 'DELETE',
  summary: 'Delete an item of a conversation',
  replies: { 200: { description: 'The conversation, without the item.', schema: Conversation }, ...gone },
  handle: async (request, _reply, services) => {
    const { owner } = request.caller
    const ref = itemRef(request.params)
    await dropConversationItem(ref, owner, services.calls)
    return await showConversation(ref.conversation, owner, services.calls)
  },
})

type ItemIds = { conversation_id: string; conversation_item_id: string }

function itemRef({ conversation_id: conversation, conversation_item_id: item }: ItemIds) {
  return { conversation, item }
}
