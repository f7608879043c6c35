import type { FastifyReply, FastifyRequest } from 'fastify'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import { ImageStreamEvent } from '../../../contract/events.ts'
import { ImageEditRequest, ImageResponse } from '../../../contract/images.ts'
import { strayFinder } from '../../../contract/stray-fields.ts'
import { TempFiles } from '../../../calls/files/temp-files.ts'
import { labelAs, openReply, refuseStray } from '../../open-reply.ts'
import { route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'
import { checkHeaders } from './check-headers.ts'
import { readEditBody } from './edit-body.ts'
import { readEditForm } from './edit-form.ts'
import { ImageEditForm } from './edit-form-schema.ts'
import { imagesReply } from './images-reply.ts'
import { STREAMING } from './wants-events.ts'

const findStray = strayFinder(ImageEditRequest.properties, { isOpen: true, streams: true })

export default route({
  method: 'POST',
  path: '/v3/images/edits',
  access: 'key',
  scope: 'images',
  multipart: true,
  streamsJson: true,
  summary: 'Edit images with a prompt',
  description:
    'As JSON, with images by `file_id` or `image_url`, or as a form with files. An `https://` URL is fetched by the gateway ' +
    'if the provider does not accept URLs. Models of the gpt-image family refuse it: send a data URL, or upload the file. ' +
    STREAMING,
  body: ImageEditRequest,
  form: ImageEditForm,
  replies: {
    200: { description: 'The images.', schema: ImageResponse, events: ImageStreamEvent },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The model failed. The message has the reason.', schema: ErrorBody },
  },
  handle,
})

async function handle(request: FastifyRequest, reply: FastifyReply, services: HttpServices): Promise<void> {
  const { config, files } = services.calls
  const tempFiles = new TempFiles(config.dataDir, request.caller.owner)
  try {
    const isForm = /^multipart\//i.test(request.headers['content-type'] ?? '')
    const fields = isForm
      ? await readEditForm(request, files.maxFileBytes, tempFiles)
      : await readEditBody(request, services.calls, tempFiles)
    checkHeaders(fields.request)
    refuseStray(fields.request, findStray)
    const open = openReply(request, reply, services, 'images')
    labelAs(open, fields.request)
    await imagesReply(open, fields)
  } finally {
    await tempFiles.close()
  }
}
