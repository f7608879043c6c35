import type { FastifyReply, FastifyRequest } from 'fastify'
import { ErrorBody } from '../../../../contract/errors.ts'
import { Conversation } from '../../../../contract/responses/conversations.ts'
import { INCLUDE } from '../../../../contract/responses/stored-items.ts'
import { ResponseItem } from '../../../../contract/responses.ts'
import { showConversation } from '../../../../responses/conversations.ts'
import { dropConversationItem, showConversationItem } from '../../../../responses/item-lists.ts'
import Type from '../../../../schema/type.ts'
import { readInclude } from '../../responses/item-query.ts'
import type { HttpServices, Route } from '../../../services.ts'

const path = '/v3/conversations/{conversation_id}/items/{conversation_item_id}'
const common = { path, access: 'key', scope: 'chat' } as const
const gone = { 404: { description: 'There is no such conversation or item, or not any more.', schema: ErrorBody } }

export const get: Route = {
  ...common,
  method: 'GET',
  summary: 'One item of a conversation',
  query: Type.Object({ include: INCLUDE }),
  replies: { 200: { description: 'The item.', schema: ResponseItem }, ...gone },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    showConversationItem({ ...placeIn(request), include: readInclude(request) }, request.caller.owner, context),
}

export const remove: Route = {
  ...common,
  method: 'DELETE',
  summary: 'Delete an item of a conversation',
  replies: { 200: { description: 'The conversation, without the item.', schema: Conversation }, ...gone },
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { owner } = request.caller
    const place = placeIn(request)
    await dropConversationItem(place, owner, context)
    return await showConversation(place.conversation, owner, context)
  },
}

function placeIn({ params }: FastifyRequest): { conversation: string; item: string } {
  const { conversation_id, conversation_item_id } = params as Record<string, string>
  return { conversation: conversation_id!, item: conversation_item_id! }
}
