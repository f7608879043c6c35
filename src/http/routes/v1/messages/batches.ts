import type { FastifyRequest } from 'fastify'
import { valueError } from '../../../../base/schema/issue-messages.ts'
import { BYTES } from '../../../../base/schema/fields.ts'
import Type from '../../../../base/schema/type.ts'
import { getUpload } from '../../../../calls/files/files.ts'
import {
  CreateMessageBatch,
  DeletedMessageBatch,
  MessageBatch,
  MessageBatchList,
} from '../../../../contract/anthropic-batches.ts'
import { MessagesError } from '../../../../contract/messages.ts'
import { problem } from '../../../../contract/problems.ts'
import { batchName } from '../../../../jobs/batches/batch-ids.ts'
import { toMessageBatch } from '../../../../jobs/batches/message-batch.ts'
import { cancelOwnBatch, deleteOwnBatch, getBatch, pageOfBatches } from '../../../../jobs/batches/read-batches.ts'
import { submitBatch } from '../../../../jobs/batches/submit-batch.ts'
import type { StoredBatch } from '../../../../platform/store/batches/batches.ts'
import { writeJson } from '../../../../translation/json/written-numbers.ts'
import { route } from '../../../define-route.ts'
import { ownUrl } from '../../../edge/own-url.ts'
import { validationProblem } from '../../../problems.ts'
import { MAX_LIMIT } from '../../../query.ts'
import type { HttpServices } from '../../../route.ts'
import { sendFile } from '../../../send-file.ts'
import { lineHeaders } from '../../batches.ts'

const DEFAULT_BATCHES = 20
const WINDOW_HOURS = 24
const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/
const common = { access: 'key', scope: 'chat', noSuch: 'batch' } as const
const paths = '/v3/v1/messages/batches'
const path = `${paths}/{message_batch_id}` as const
const noBatch = { 404: { description: 'There is no such batch.', schema: MessagesError } }
const hasEnded = { 409: { description: 'The state of the batch does not allow that.', schema: MessagesError } }

export const create = route({
  ...common,
  path: paths,
  method: 'POST',
  stores: true,
  summary: 'Create a batch of messages (Anthropic)',
  description:
    'Each request is a call of its own, with the limits and the policies of the key, and comes behind all other calls. The batch has 24 hours.',
  body: CreateMessageBatch,
  replies: {
    200: { description: 'The batch.', schema: MessageBatch },
    422: { description: 'The request is not valid.', schema: MessagesError },
    429: { description: 'Too many batches of this owner have not ended.', schema: MessagesError },
  },
  handle: async (request, _reply, services) => {
    const { requests } = request.body.value
    checkRequests(requests)
    const about = { door: 'anthropic', endpoint: '/v3/v1/messages', name: null, webhookUrl: null } as const
    const more = {
      execution: 'auto' as const,
      endUser: null,
      metadata: null,
      headers: lineHeaders(request),
      windowHours: WINDOW_HOURS,
    }
    const submission = { ...about, ...more, lines: { texts: linesOf(requests), total: requests.length } }
    return shown(await submitBatch(submission, request.caller, services.jobs), request, services)
  },
})

export const list = route({
  ...common,
  path: paths,
  method: 'GET',
  summary: 'Your batches of messages, newest first',
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: `Batches on a page. Default: ${DEFAULT_BATCHES}.` }),
    ),
    after_id: Type.Optional(Type.String({ maxLength: 100, description: 'The last id of the page before.' })),
    before_id: Type.Optional(Type.String({ maxLength: 100, description: 'The first id of the page behind.' })),
  }),
  replies: { 200: { description: 'A page of batches.', schema: MessageBatchList }, ...noBatch },
  handle: async (request, _reply, services) => {
    const { limit = DEFAULT_BATCHES, after_id, before_id } = request.query
    const order = before_id === undefined ? 'newest' : 'oldest'
    const query = { door: 'anthropic' as const, limit, order, after: before_id ?? after_id } as const
    const { batches, hasMore } = await pageOfBatches(query, request.caller, services.jobs)
    const inOrder = order === 'newest' ? batches : batches.toReversed()
    const data = inOrder.map((batch) => shown(batch, request, services))
    return { data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
  },
})

export const get = route({
  ...common,
  path,
  method: 'GET',
  summary: 'One of your batches of messages',
  replies: { 200: { description: 'The batch.', schema: MessageBatch }, ...noBatch },
  handle: async (request, _reply, services) => shown(await own(request, services), request, services),
})

export const results = route({
  ...common,
  path: `${path}/results`,
  method: 'GET',
  summary: 'The results of a batch of messages',
  description: 'A result in each line, as JSON, in the order of the requests.',
  replies: {
    200: { description: 'The results.', contentType: 'application/jsonl', schema: BYTES },
    ...noBatch,
    ...hasEnded,
  },
  handle: async (request, reply, services) => {
    const { endedAt, outputFile } = await own(request, services)
    if (endedAt === null) throw problem('conflict', { message: 'This batch has not ended yet, so it has no results.' })
    if (outputFile === null) throw problem('not_found', { message: 'This batch has no results.' })
    const { files } = services.calls
    return await sendFile(reply, await getUpload(outputFile, request.caller.owner, files), files)
  },
})

export const cancel = route({
  ...common,
  path: `${path}/cancel`,
  method: 'POST',
  summary: 'Cancel a batch of messages',
  description: 'No further request is sent. Those that were sent are waited for, and have their results.',
  replies: { 200: { description: 'The batch.', schema: MessageBatch }, ...noBatch, ...hasEnded },
  handle: async (request, _reply, services) => {
    const { message_batch_id } = request.params
    const batch = await cancelOwnBatch(message_batch_id, 'anthropic', request.caller, services.jobs)
    return shown(batch, request, services)
  },
})

export const remove = route({
  ...common,
  path,
  method: 'DELETE',
  summary: 'Delete a batch of messages that has ended',
  replies: { 200: { description: 'It is gone.', schema: DeletedMessageBatch }, ...noBatch, ...hasEnded },
  handle: async (request, _reply, services) => {
    const batch = await deleteOwnBatch(request.params.message_batch_id, 'anthropic', request.caller, services.jobs)
    return { id: batchName(batch), type: 'message_batch_deleted' as const }
  },
})

function own(request: FastifyRequest<{ Params: { message_batch_id: string } }>, services: HttpServices) {
  return getBatch(request.params.message_batch_id, 'anthropic', request.caller, services.jobs)
}

function shown(batch: StoredBatch, request: FastifyRequest, services: HttpServices): MessageBatch {
  return toMessageBatch(batch, (name) => `${ownUrl(request, services)}${paths}/${name}/results`)
}

type Requests = CreateMessageBatch['requests']

/** Clients of Anthropic learn at once what is wrong: their batches have no state for it. */
function checkRequests(requests: Requests): void {
  const seen = new Set<string>()
  for (const [index, { custom_id, params }] of requests.entries()) {
    const refused = (field: string, msg: string) =>
      validationProblem([valueError(['body', 'requests', index, field], `Value error, ${msg}`)])
    if (!CUSTOM_ID.test(custom_id)) throw refused('custom_id', 'write up to 64 letters, digits, _ and -')
    if (seen.has(custom_id)) throw refused('custom_id', 'another request has the same custom_id')
    if (params.stream === true) throw refused('params', 'a request of a batch cannot stream its answer')
    seen.add(custom_id)
  }
}

function* linesOf(requests: Requests): Generator<string> {
  for (const { custom_id, params } of requests)
    yield `{"custom_id":${JSON.stringify(custom_id)},"params":${writeJson(params)}}`
}
