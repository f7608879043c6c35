import { ErrorBody } from '../../contract/errors.ts'
import { Conversation, ConversationRequest } from '../../contract/responses/conversations.ts'
import { createConversation } from '../../endpoints/responses/conversations.ts'
import { route } from '../define-route.ts'

export const create = route({
  method: 'POST',
  path: '/v3/conversations',
  access: 'key',
  stores: true,
  scope: 'chat',
  summary: 'Create a conversation',
  description:
    'Name it as the `conversation` of responses: each adds its input and its output, whichever model made it. ' +
    'A conversation is kept until nothing was added to it for as many days as responses are kept.',
  body: ConversationRequest,
  replies: {
    200: { description: 'The conversation.', schema: Conversation },
    409: { description: 'The owner of the key has the maximum number of conversations.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    return await createConversation(request.body.value, request.caller, services.calls)
  },
})
