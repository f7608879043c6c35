import { ValidationErrorBody } from '../../contract/errors.ts'
import { UniversalRequest, UniversalResponse } from '../../contract/universal.ts'
import { universal } from '../../endpoints/universal/universal.ts'
import { unknownTo } from '../../calls/upstream/unknown-fields.ts'
import { openReply, wholeReply } from '../open-reply.ts'
import { route } from '../define-route.ts'
import { asFailedTask } from '../task-problems.ts'

/** Both of the last are labels of every call. */
const KNOWN: ReadonlySet<string> = new Set([...Object.keys(UniversalRequest.properties), 'user', 'metadata'])
const NO_SUCH_FIELD = 'tasks have no such field: put further settings of a provider into `provider_params`'

export default route({
  method: 'POST',
  path: '/v3/universal-ai',
  access: 'key',
  scope: 'universal',
  summary: 'Run a task',
  description:
    'One endpoint for moderation, OCR, parsing, translation, audio, images and the web: `model` names the task and its provider ' +
    'as `feature/subfeature/provider[/model]`. GET /v3/info lists the tasks and their fields.',
  body: UniversalRequest,
  replies: {
    200: { description: 'The result.', schema: UniversalResponse },
    422: { description: 'The request or its input is not valid.', schema: ValidationErrorBody },
  },
  handle: (request, reply, services) => {
    const body = request.body.value
    const open = openReply(request, reply, services, { endpoint: 'universal', statesEstimates: true })
    const answer = async () => {
      const done = await universal(body, open.call, services.calls)
      open.call.record.note(unknownTo(body, KNOWN, NO_SUCH_FIELD))
      return done
    }
    return wholeReply(open, answer).catch((error) => {
      throw asFailedTask(error, body.model, open.call)
    })
  },
})
