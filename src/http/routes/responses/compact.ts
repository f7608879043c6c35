import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import { CompactedResponse, CompactRequest } from '../../../contract/responses/compact.ts'
import { compact } from '../../../endpoints/responses/compact.ts'
import { wholeItems } from '../../../endpoints/responses/response-request.ts'
import { readerOf } from '../../memory-lease.ts'
import { openReply, wholeReply } from '../../open-reply.ts'
import { route } from '../../define-route.ts'

export default route({
  method: 'POST',
  path: '/v3/responses/compact',
  access: 'key',
  scope: 'chat',
  summary: 'Compact a conversation',
  description:
    'Models of OpenAI and Azure with their own responses endpoint. Send the output as the input of the next request to a ' +
    'model of the same provider. Nothing is stored.',
  body: CompactRequest,
  replies: {
    200: { description: 'The shorter conversation.', schema: CompactedResponse },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    501: { description: 'The provider of this model cannot do that. The message has the reason.', schema: ErrorBody },
    502: { description: 'All models failed. The message has the last reason.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const body = request.body.value
    const items = await wholeItems(body, readerOf(request, services.calls), services.calls)
    const open = openReply(request, reply, services, 'chat')
    return await wholeReply(open, () => compact(body, items, open.call, services.calls))
  },
})
