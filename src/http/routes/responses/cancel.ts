import { ErrorBody } from '../../../contract/errors.ts'
import { ResponseObject } from '../../../contract/responses.ts'
import { cancelInBackground } from '../../../endpoints/responses/background/read-background.ts'
import { showResponse } from '../../../endpoints/responses/stored-responses.ts'
import { withDigits } from '../../../translation/json/exact-numbers.ts'
import { readerOf } from '../../memory-lease.ts'
import { route } from '../../define-route.ts'

export default route({
  method: 'POST',
  path: '/v3/responses/{response_id}/cancel',
  noSuch: 'response',
  access: 'key',
  scope: 'chat',
  summary: 'Cancel a background response',
  description: 'A response that has ended is returned as it is, so cancelling twice is the same as cancelling once.',
  replies: {
    200: { description: 'The response.', schema: ResponseObject },
    404: { description: 'There is no such response, or it has expired.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const { response_id } = request.params
    await cancelInBackground(response_id, request.caller.owner, services.jobs)
    const { response, exact } = await showResponse(response_id, readerOf(request, services.calls), services.calls)
    return withDigits(response, exact)
  },
})
