import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { OcrModels, OcrReply, OcrRequest } from '../../contract/ocr.ts'
import { ocr, ocrModels } from '../../endpoints/ocr/ocr.ts'
import { route } from '../define-route.ts'
import { openReply, wholeReply } from '../open-reply.ts'

export const create = route({
  method: 'POST',
  path: '/v3/ocr',
  access: 'key',
  scope: 'universal',
  summary: 'Read a document',
  description:
    "In the format of Mistral's OCR API, by every provider of the task `ocr/ocr` and the engine of the gateway (`local`). " +
    'Mistral gets every field of the request. Fields that another provider does not have are named in the header `x-gatehouse-dropped-fields`.',
  body: OcrRequest,
  replies: {
    200: { description: 'The text of the document.', schema: OcrReply },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The provider failed. The message has the reason.', schema: ErrorBody },
  },
  handle: (request, reply, services) => {
    const open = openReply(request, reply, services, { endpoint: 'universal', statesEstimates: true })
    return wholeReply(open, () => ocr(request.body.value, open.call, services.calls))
  },
})

export const models = route({
  method: 'GET',
  path: '/v3/ocr/models',
  access: 'key',
  scope: 'models',
  summary: 'List OCR providers',
  description: 'Providers that this key can read documents with now.',
  replies: { 200: { description: 'The providers.', schema: OcrModels } },
  handle: (request, _reply, services) => ocrModels(request, services.calls),
})
