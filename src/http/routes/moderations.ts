import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { ModerationsReply, ModerationsRequest } from '../../contract/moderations.ts'
import { moderate } from '../../endpoints/moderations/moderations.ts'
import { openReply, wholeReply } from '../open-reply.ts'
import { modelListRoute } from '../model-list-route.ts'
import { route } from '../define-route.ts'

const path = '/v3/moderations'

export const create = route({
  method: 'POST',
  path,
  access: 'key',
  scope: 'universal',
  summary: 'Create a moderation',
  description: 'For texts and images.',
  body: ModerationsRequest,
  replies: {
    200: { description: 'The judgements.', schema: ModerationsReply },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The model failed. The message has the reason.', schema: ErrorBody },
  },
  handle: (request, reply, services) => {
    const body = request.body.value
    const open = openReply(request, reply, services, 'universal')
    return wholeReply(open, () => moderate(body, open.call, services.calls))
  },
})

export const models = modelListRoute(path, 'moderation', 'moderation models')
