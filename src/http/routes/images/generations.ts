import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import { ImageStreamEvent } from '../../../contract/events.ts'
import { ImageGenerationRequest, ImageResponse } from '../../../contract/images.ts'
import { TempFiles } from '../../../calls/files/temp-files.ts'
import { openReply } from '../../open-reply.ts'
import { route } from '../../define-route.ts'
import { checkHeaders } from './check-headers.ts'
import { imagesReply } from './images-reply.ts'
import { STREAMING } from './wants-events.ts'

export default route({
  method: 'POST',
  path: '/v3/images/generations',
  access: 'key',
  scope: 'images',
  summary: 'Generate images from a prompt',
  description:
    'Sends a prompt to an image model. The router and fallbacks do not apply here. A link that the gateway creates itself works ' +
    `for seven days. ${STREAMING}`,
  body: ImageGenerationRequest,
  replies: {
    200: { description: 'The images.', schema: ImageResponse, events: ImageStreamEvent },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The model failed. The message has the reason.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const body = request.body.value
    checkHeaders(body)
    const open = openReply(request, reply, services, 'images')
    const tempFiles = new TempFiles(services.calls.config.dataDir, request.caller.owner)
    try {
      await imagesReply(open, { mode: 'generate', request: body, images: [], mask: undefined, tempFiles })
    } finally {
      await tempFiles.close()
    }
  },
})
