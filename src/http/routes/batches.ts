import type { FastifyRequest } from 'fastify'
import { valueError } from '../../base/schema/issue-messages.ts'
import Type from '../../base/schema/type.ts'
import { Batch, BatchList, CreateBatchRequest } from '../../contract/batches.ts'
import { BATCH_ENDPOINTS } from '../../contract/batch-endpoints.ts'
import { ErrorBody } from '../../contract/errors.ts'
import { toOpenAIBatch } from '../../jobs/batches/openai-batch.ts'
import { pageOfBatches } from '../../jobs/batches/read-batches.ts'
import { MAX_WINDOW_HOURS, type Submission, submitBatch } from '../../jobs/batches/submit-batch.ts'
import { writeJson } from '../../translation/json/written-numbers.ts'
import { route } from '../define-route.ts'
import { batchEndpoint } from '../batch-endpoint.ts'
import { validationProblem } from '../problems.ts'
import { MAX_LIMIT } from '../query.ts'
import { readTags, TAGS_HEADER } from '../tags-header.ts'

const DEFAULT_BATCHES = 20
const DEFAULT_HOURS = 24
const MAX_METADATA = 16
const MAX_NAME_CHARS = 64
const common = { path: '/v3/batches', access: 'key', scope: 'files' } as const

export const create = route({
  ...common,
  method: 'POST',
  stores: true,
  summary: 'Create a batch: many requests that are answered later',
  description:
    'The requests are the lines of a file with the purpose `batch`, or `requests`. Each of them is a call of its own: with the scopes, ' +
    'policies, hooks and limits of the key, and with a line in the ledger. They come behind all other calls. If a budget is spent, ' +
    'the batch pauses and goes on after the reset.',
  body: CreateBatchRequest,
  replies: {
    200: { description: 'The batch.', schema: Batch },
    404: { description: 'There is no such file.', schema: ErrorBody },
    429: { description: 'Too many batches of this owner have not ended.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const body = request.body.value
    const submission: Submission = {
      door: 'openai',
      endpoint: endpointIn(body),
      name: null,
      endUser: null,
      lines: linesIn(body),
      windowHours: hoursIn(body.completion_window ?? undefined),
      webhookUrl: body.callback_url ?? body.webhook_receiver ?? null,
      metadata: metadataIn(body),
      execution: body.execution ?? 'auto',
      headers: lineHeaders(request),
    }
    return toOpenAIBatch(await submitBatch(submission, request.caller, services.jobs))
  },
})

export const list = route({
  ...common,
  method: 'GET',
  summary: 'Your batches, newest first',
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: `Batches on a page. Default: ${DEFAULT_BATCHES}.` }),
    ),
    after: Type.Optional(Type.String({ maxLength: 100, description: 'The last id of the page before.' })),
  }),
  replies: {
    200: { description: 'A page of batches.', schema: BatchList },
    404: { description: 'There is no batch with the id of `after`.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const { limit = DEFAULT_BATCHES, after } = request.query
    const query = { door: 'openai' as const, limit, order: 'newest' as const, after }
    const { batches, hasMore } = await pageOfBatches(query, request.caller, services.jobs)
    const data = batches.map(toOpenAIBatch)
    const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
    return { object: 'list' as const, data, ...ends, has_more: hasMore }
  },
})

/** What the request for a batch says about all of its lines. A header that cannot be read is refused now. */
export function lineHeaders({ headers }: FastifyRequest): Record<string, string> {
  readTags(headers[TAGS_HEADER])
  const passed = [TAGS_HEADER, 'anthropic-version', 'anthropic-beta']
  return Object.fromEntries(
    passed.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  )
}

function endpointIn({ endpoint }: CreateBatchRequest): string | null {
  if (endpoint == null) return null
  const found = batchEndpoint(endpoint)
  if (found !== undefined) return found
  throw refused('endpoint', `Batches are for one of ${BATCH_ENDPOINTS.join(', ')}`)
}

function linesIn({ input_file_id, requests, endpoint, model }: CreateBatchRequest): Submission['lines'] {
  if (input_file_id != null && requests != null) throw refused('requests', 'Send a file or requests, and not both')
  if (input_file_id != null && model != null) throw refused('model', 'The lines of a file name their models themselves')
  if (input_file_id != null) return { file: input_file_id }
  if (requests == null) throw refused('input_file_id', 'Name a file, or send requests')
  return { texts: inlineLines(requests, endpoint ?? undefined, model ?? undefined), total: requests.length }
}

/** In the shape of the lines of a file, with the numbers as they were written. */
function* inlineLines(
  requests: NonNullable<CreateBatchRequest['requests']>,
  endpoint: string | undefined,
  model: string | undefined,
) {
  for (const { custom_id, url, body } of requests) {
    const head = JSON.stringify({ custom_id, method: 'POST', url: url ?? endpoint })
    yield `${head.slice(0, -1)},"body":${writeJson(model === undefined ? body : { model, ...body })}}`
  }
}

function metadataIn({ metadata }: CreateBatchRequest): Record<string, string> | null {
  if (metadata == null) return null
  const names = Object.keys(metadata)
  if (names.length <= MAX_METADATA && names.every((name) => name.length <= MAX_NAME_CHARS)) return metadata
  throw refused('metadata', `Write up to ${MAX_METADATA} notes, with names of up to ${MAX_NAME_CHARS} characters`)
}

function hoursIn(window: string | undefined): number {
  if (window === undefined) return DEFAULT_HOURS
  const [, hours] = /^([1-9]\d{0,2})h$/.exec(window) ?? []
  if (hours !== undefined && Number(hours) <= MAX_WINDOW_HOURS) return Number(hours)
  throw refused('completion_window', `Write a time from 1h to ${MAX_WINDOW_HOURS}h, such as 24h`)
}

function refused(field: string, msg: string) {
  return validationProblem([valueError(['body', field], `Value error, ${msg}`)])
}
