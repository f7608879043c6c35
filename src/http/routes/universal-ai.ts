import type { FastifyReply, FastifyRequest } from 'fastify'
import { ValidationErrorBody } from '../../contract/errors.ts'
import { UniversalRequest, UniversalResponse } from '../../contract/universal.ts'
import { universal } from '../../core/universal.ts'
import type { JsonBody } from '../../json/parse-body.ts'
import { openLine, wholeReply } from '../call-line.ts'
import type { House, Route } from '../route.ts'
import { asFailedTask } from '../task-problems.ts'

export default {
  method: 'POST',
  path: '/v3/universal-ai',
  access: 'key',
  scope: 'universal',
  summary: 'Do a task now',
  description:
    'One endpoint for moderation, OCR, parsing, translation, audio, images and the web: `model` names the task and who does ' +
    'it, as `feature/subfeature/provider[/model]`. GET /v3/info lists the tasks and their fields.',
  body: UniversalRequest,
  replies: {
    200: { description: 'The result.', schema: UniversalResponse },
    422: { description: 'The request or its input is not valid.', schema: ValidationErrorBody },
  },
  handle: (request: FastifyRequest, reply: FastifyReply, house: House) => {
    const body = (request.body as JsonBody).value as UniversalRequest
    const line = openLine(request, reply, house, 'universal')
    return wholeReply(line, () => universal(body, line.call, house.outside)).catch((error) => {
      throw asFailedTask(error, body.model, line.call)
    })
  },
} satisfies Route
