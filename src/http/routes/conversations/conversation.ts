import { ErrorBody } from '../../../contract/errors.ts'
import {
  ChangeConversationRequest,
  Conversation,
  DeletedConversation,
} from '../../../contract/responses/conversations.ts'
import { changeConversation, dropConversation, showConversation } from '../../../endpoints/responses/conversations.ts'
import { route } from '../../define-route.ts'

const common = {
  path: '/v3/conversations/{conversation_id}',
  access: 'key',
  scope: 'chat',
  noSuch: 'conversation',
} as const
const found = { description: 'The conversation.', schema: Conversation }
const gone = { 404: { description: 'There is no such conversation, or it has expired.', schema: ErrorBody } }

export const get = route({
  ...common,
  method: 'GET',
  summary: 'Get a conversation',
  replies: { 200: found, ...gone },
  handle: (request, _reply, services) =>
    showConversation(request.params.conversation_id, request.caller.owner, services.calls),
})

export const update = route({
  ...common,
  method: 'POST',
  stores: true,
  summary: 'Update a conversation',
  description: 'Replaces its metadata.',
  body: ChangeConversationRequest,
  replies: { 200: found, ...gone },
  handle: (request, _reply, services) => {
    const { metadata } = request.body.value
    return changeConversation(request.params.conversation_id, metadata, request.caller.owner, services.calls)
  },
})

export const remove = route({
  ...common,
  method: 'DELETE',
  summary: 'Delete a conversation',
  description: 'With its items. Responses that were made in it stay until they are deleted or expire.',
  replies: { 200: { description: 'The conversation is deleted.', schema: DeletedConversation }, ...gone },
  handle: async (request, _reply, services) => {
    const id = request.params.conversation_id
    await dropConversation(id, request.caller.owner, services.calls)
    return { id, object: 'conversation.deleted' as const, deleted: true }
  },
})
