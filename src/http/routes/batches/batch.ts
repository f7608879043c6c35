import { Batch } from '../../../contract/batches.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { toOpenAIBatch } from '../../../jobs/batches/openai-batch.ts'
import { cancelOwnBatch, deleteOwnBatch, getBatch } from '../../../jobs/batches/read-batches.ts'
import { route } from '../../define-route.ts'

const path = '/v3/batches/{batch_id}'
const common = { access: 'key', scope: 'files', noSuch: 'batch' } as const

export const get = route({
  ...common,
  path,
  method: 'GET',
  summary: 'One of your batches',
  replies: { 200: { description: 'The batch.', schema: Batch } },
  handle: async (request, _reply, services) =>
    toOpenAIBatch(await getBatch(request.params.batch_id, 'openai', request.caller, services.jobs)),
})

export const cancel = route({
  ...common,
  path: `${path}/cancel`,
  method: 'POST',
  summary: 'Cancel a batch',
  description: 'No further request is sent. Those that were sent are waited for, and have their answers.',
  replies: {
    200: { description: 'The batch.', schema: Batch },
    409: { description: 'The batch has ended.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) =>
    toOpenAIBatch(await cancelOwnBatch(request.params.batch_id, 'openai', request.caller, services.jobs)),
})

export const remove = route({
  ...common,
  path,
  method: 'DELETE',
  summary: 'Delete a batch that has ended',
  description: 'Its files stay until they expire or are deleted.',
  replies: {
    200: { description: 'The batch as it was.', schema: Batch },
    409: { description: 'The batch has not ended.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) =>
    toOpenAIBatch(await deleteOwnBatch(request.params.batch_id, 'openai', request.caller, services.jobs)),
})
