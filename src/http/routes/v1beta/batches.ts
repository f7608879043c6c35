import { withDashes, withoutDashes } from '../../../base/schema/resource-id.ts'
import { valueError } from '../../../base/schema/issue-messages.ts'
import Type from '../../../base/schema/type.ts'
import {
  BatchGenerateContentRequest,
  GeminiBatch,
  GeminiBatchList,
  GeminiEmpty,
  type InputConfig,
} from '../../../contract/gemini/batches.ts'
import { GeminiError } from '../../../contract/gemini/generate-content.ts'
import { endpointOfModel } from '../../../jobs/batches/gemini-endpoint.ts'
import { geminiBatchText, toGeminiBatch } from '../../../jobs/batches/gemini-batch.ts'
import { cancelOwnBatch, deleteOwnBatch, getBatch, pageOfBatches } from '../../../jobs/batches/read-batches.ts'
import { type Submission, submitBatch } from '../../../jobs/batches/submit-batch.ts'
import { writeJson } from '../../../translation/json/written-numbers.ts'
import { route } from '../../define-route.ts'
import { memoryLeaseOf } from '../../memory-lease.ts'
import { validationProblem } from '../../problems.ts'
import { lineHeaders } from '../batches.ts'
import { modelIn } from './model-name.ts'

const DEFAULT_BATCHES = 10
const MAX_BATCHES = 100
const WINDOW_HOURS = 24
const path = '/v3/v1beta/batches/{batch}'
const common = { access: 'key', scope: 'chat', errors: GeminiError } as const
const noBatch = { 404: { description: 'There is no such batch.', schema: GeminiError } }
const hasEnded = { 409: { description: 'The state of the batch does not allow that.', schema: GeminiError } }

export const create = route({
  ...common,
  method: 'POST',
  path: '/v3/v1beta/models/{model}:batchGenerateContent',
  routedAs: '/v3/v1beta/batchGenerateContent/:model',
  stores: true,
  summary: 'Create a batch, in the Gemini format',
  description:
    'Each request is a call of its own, with the limits and the policies of the key, and comes behind all other calls. The batch has 24 hours.',
  body: BatchGenerateContentRequest,
  replies: {
    200: { description: 'The batch.', schema: GeminiBatch },
    422: { description: 'The request is not valid.', schema: GeminiError },
    429: { description: 'Too many batches of this owner have not ended.', schema: GeminiError },
  },
  handle: async (request, _reply, services) => {
    const { batch } = request.body.value
    const model = modelIn(request, services.calls)
    const submission: Submission = {
      door: 'gemini',
      endpoint: endpointOfModel(model),
      name: batch.displayName ?? batch.display_name ?? null,
      execution: 'auto',
      webhookUrl: null,
      endUser: null,
      metadata: null,
      windowHours: WINDOW_HOURS,
      lines: linesIn(batch.inputConfig ?? batch.input_config ?? {}),
      headers: lineHeaders(request),
    }
    return toGeminiBatch(await submitBatch(submission, request.caller, services.jobs))
  },
})

export const list = route({
  ...common,
  method: 'GET',
  path: '/v3/v1beta/batches',
  summary: 'Your batches, as clients of Google list them',
  query: Type.Object({
    pageSize: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_BATCHES, default: DEFAULT_BATCHES, description: 'How many.' }),
    ),
    pageToken: Type.Optional(Type.String({ maxLength: 100, description: 'The `nextPageToken` of the page before.' })),
    filter: Type.Optional(
      Type.String({ maxLength: 1_000, description: 'Not supported: only an empty one is accepted.' }),
    ),
  }),
  replies: { 200: { description: 'A page of batches.', schema: GeminiBatchList }, ...noBatch },
  handle: async (request, _reply, services) => {
    const { pageSize: limit = DEFAULT_BATCHES, pageToken, filter } = request.query
    if (filter) throw validationProblem([valueError(['query', 'filter'], 'Value error, batches cannot be filtered')])
    const after = pageToken ? withDashes(pageToken) : undefined
    const query = { door: 'gemini' as const, limit, order: 'newest' as const, after }
    const { batches, hasMore } = await pageOfBatches(query, request.caller, services.jobs)
    const last = hasMore ? batches.at(-1) : undefined
    return { operations: batches.map(toGeminiBatch), ...(last && { nextPageToken: withoutDashes(last.id) }) }
  },
})

export const get = route({
  ...common,
  method: 'GET',
  path,
  summary: 'One of your batches, as clients of Google read it',
  description: 'With the answers, if the requests came without a file and the answers have at most 20 MB.',
  replies: { 200: { description: 'The batch.', schema: GeminiBatch }, ...noBatch },
  handle: async (request, reply, services) => {
    const batch = await getBatch(request.params.batch, 'gemini', request.caller, services.jobs)
    const { files } = services.calls
    const text = await geminiBatchText(batch, files, memoryLeaseOf(request, services.calls))
    return reply.type('application/json; charset=utf-8').send(text)
  },
})

export const cancel = route({
  ...common,
  method: 'POST',
  path: `${path}:cancel`,
  routedAs: '/v3/v1beta/cancel/:batch',
  summary: 'Cancel a batch, as clients of Google do',
  description: 'No further request is sent. Those that were sent are waited for, and have their answers.',
  replies: { 200: { description: 'It is being cancelled.', schema: GeminiEmpty }, ...noBatch, ...hasEnded },
  handle: async (request, _reply, services) => {
    await cancelOwnBatch(request.params.batch, 'gemini', request.caller, services.jobs)
    return {}
  },
})

export const remove = route({
  ...common,
  method: 'DELETE',
  path,
  summary: 'Delete a batch that has ended, as clients of Google do',
  replies: { 200: { description: 'It is gone.', schema: GeminiEmpty }, ...noBatch, ...hasEnded },
  handle: async (request, _reply, services) => {
    await deleteOwnBatch(request.params.batch, 'gemini', request.caller, services.jobs)
    return {}
  },
})

function linesIn({ file_name, fileName = file_name, requests }: InputConfig): Submission['lines'] {
  if (fileName != null && requests != null) throw refused('Value error, send a file or requests, and not both')
  if (fileName != null) return { file: withDashes(fileName.replace(/^files\//, '')) }
  if (requests == null) throw refused('Value error, name a file, or send requests')
  return { texts: inlineLines(requests.requests), total: requests.requests.length }
}

function* inlineLines(requests: NonNullable<InputConfig['requests']>['requests']): Generator<string> {
  for (const { request, metadata } of requests) {
    const label = metadata == null ? '' : `"metadata":${writeJson(metadata)},`
    yield `{${label}"request":${writeJson(request)}}`
  }
}

function refused(msg: string) {
  return validationProblem([valueError(['body', 'batch', 'inputConfig'], msg)])
}
