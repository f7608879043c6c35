import { SpeechRequest } from '../../../contract/audio.ts'
import { SpeechEvent } from '../../../contract/events.ts'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import { speak } from '../../../endpoints/audio/speech.ts'
import { BYTES } from '../../../base/schema/fields.ts'
import { openReply } from '../../open-reply.ts'
import { modelListRoute } from '../../model-list-route.ts'
import { route } from '../../define-route.ts'
import { bytesReply } from './bytes-reply.ts'

const path = '/v3/audio/speech'
/** Providers name the formats differently; others send plain bytes. */
const AUDIO_TYPES = ['audio/mpeg', 'audio/wav', 'audio/*', 'application/octet-stream']

export const create = route({
  method: 'POST',
  path,
  access: 'key',
  scope: 'universal',
  summary: 'Create speech',
  description: 'The audio as the provider sends it. The cost and the provider are in the headers `x-gatehouse-*`.',
  body: SpeechRequest,
  replies: {
    200: { description: 'The audio.', contentType: AUDIO_TYPES, schema: BYTES, events: SpeechEvent },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The model failed. The message has the reason.', schema: ErrorBody },
  },
  handle: (request, reply, services) => {
    const body = request.body.value
    const open = openReply(request, reply, services, { endpoint: 'universal', namesOriginal: true })
    return bytesReply(open, () => speak(body, open.call, services.calls))
  },
})

export const models = modelListRoute(path, 'speech', 'speech models')
