import type { FastifyReply, FastifyRequest } from 'fastify'
import { ErrorBody } from '../../../contract/errors.ts'
import {
  ChangeConversationRequest,
  Conversation,
  DeletedConversation,
} from '../../../contract/responses/conversations.ts'
import { changeConversation, dropConversation, showConversation } from '../../../responses/conversations.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import type { HttpServices, Route } from '../../services.ts'

const common = { path: '/v3/conversations/{conversation_id}', access: 'key', scope: 'chat' } as const
const found = { description: 'The conversation.', schema: Conversation }
const gone = { 404: { description: 'There is no such conversation, or it has expired.', schema: ErrorBody } }

export const get: Route = {
  ...common,
  method: 'GET',
  summary: 'One of your conversations',
  replies: { 200: found, ...gone },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    showConversation(conversationIn(request), request.caller.owner, context),
}

export const update: Route = {
  ...common,
  method: 'POST',
  stores: true,
  summary: 'Replace the metadata of a conversation',
  body: ChangeConversationRequest,
  replies: { 200: found, ...gone },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { metadata } = (request.body as JsonBody).value as ChangeConversationRequest
    return changeConversation(conversationIn(request), metadata, request.caller.owner, context)
  },
}

export const remove: Route = {
  ...common,
  method: 'DELETE',
  summary: 'Delete a conversation with its items',
  description: 'Responses that were made in it stay until they are deleted or expire.',
  replies: { 200: { description: 'It is deleted.', schema: DeletedConversation }, ...gone },
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const id = conversationIn(request)
    await dropConversation(id, request.caller.owner, context)
    return { id, object: 'conversation.deleted', deleted: true }
  },
}

function conversationIn(request: FastifyRequest): string {
  return (request.params as { conversation_id: string }).conversation_id
}
