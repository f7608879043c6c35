import { freeObject, mapOf, nullable, optional, timestamp, words } from '../base/schema/fields.ts'
import { BATCH_ID } from '../base/schema/patterns.ts'
import Type, { type Static } from '../base/schema/type.ts'
import { BATCH_ENDPOINTS } from './batch-endpoints.ts'

const seconds = (description: string) => nullable(Type.Integer(), `${description} In seconds since 1970.`)
const count = (description: string) => Type.Integer({ minimum: 0, description })

const MAX_INLINE = 50_000

const InlineRequest = Type.Object(
  {
    custom_id: Type.String({ minLength: 1, maxLength: 512, description: 'Your own id of this request.' }),
    url: optional(Type.String({ maxLength: 200 }), 'Its endpoint. Default: the `endpoint` of the batch.'),
    body: freeObject({ description: 'The body, as the endpoint takes it.' }),
  },
  { description: 'A request of a batch.' },
)

export const EXECUTIONS = ['auto', 'native', 'emulated'] as const
export type Execution = (typeof EXECUTIONS)[number]
const EXECUTION =
  '`native`: the batches of providers, at their lower price. `emulated`: the gateway asks each request itself, at the usual price. `auto` ' +
  '(the default): `native` where the provider of a model has batches, their price is known and the batch may take 24 hours or longer; what the ' +
  'provider did not answer in time is asked by the gateway.'

const Metadata = mapOf(Type.String({ maxLength: 512 }))

export const CreateBatchRequest = Type.Object(
  {
    input_file_id: optional(
      Type.String({ maxLength: 100 }),
      'A file of yours with a request in each line (JSONL): `{"custom_id", "method", "url", "body"}`.',
    ),
    requests: optional(
      Type.Array(InlineRequest, { minItems: 1, maxItems: MAX_INLINE }),
      'The requests themselves, instead of a file.',
    ),
    model: optional(
      Type.String({ minLength: 1, maxLength: 500 }),
      'The model of `requests` whose body names none, as clients of OpenRouter write it.',
    ),
    endpoint: optional(
      Type.String({ maxLength: 200 }),
      `What all requests are for: one of ${BATCH_ENDPOINTS.map((one) => `\`${one}\``).join(', ')}, also without \`/v3\` or with \`/v1\`. Without it, each line names its own.`,
    ),
    completion_window: optional(
      Type.String({ maxLength: 10 }),
      'How long the batch may take: `1h` to `168h`. Default: `24h`. What was not asked by then has expired.',
    ),
    execution: optional(words(EXECUTIONS, { description: EXECUTION }), EXECUTION),
    metadata: optional(Metadata, 'Your own notes, at most 16.'),
    callback_url: optional(
      Type.String({ minLength: 1, maxLength: 2_000 }),
      'A signed webhook is posted to this HTTPS address when the batch ends. `webhook_receiver` is the same.',
    ),
    webhook_receiver: optional(Type.String({ minLength: 1, maxLength: 2_000 }), 'The same as `callback_url`.'),
  },
  { title: 'CreateBatchRequest', description: 'Requests that are answered later.', additionalProperties: true },
)
export type CreateBatchRequest = Static<typeof CreateBatchRequest>

export const BatchError = Type.Object(
  {
    code: Type.String({ description: 'What is wrong, in a word.' }),
    message: Type.String({ description: 'The same as a sentence.' }),
    line: nullable(Type.Integer(), 'The line of the input file, counted from 1.'),
    param: nullable(Type.String(), 'The member of the line.'),
  },
  { description: 'Why a batch is not run, or not to its end.' },
)

export const Batch = Type.Object(
  {
    id: Type.String({ pattern: BATCH_ID, description: 'Identifies the batch.' }),
    object: Type.Literal('batch'),
    endpoint: nullable(Type.String(), 'What all requests are for; null if each line names its own.'),
    errors: nullable(
      Type.Object({ object: Type.Literal('list'), data: Type.Array(BatchError, { description: 'At most 100.' }) }),
      'What is wrong with the input file.',
    ),
    input_file_id: Type.String({ description: 'The file with the requests.' }),
    completion_window: Type.String({ description: 'How long the batch may take.' }),
    execution: words(EXECUTIONS, { description: 'What answers the requests.' }),
    status: words(
      ['validating', 'failed', 'in_progress', 'finalizing', 'completed', 'expired', 'cancelling', 'cancelled'],
      { description: 'The state of the batch.' },
    ),
    paused_reason: nullable(
      Type.String(),
      'Why no request is sent at the moment, such as a budget that is spent. The batch goes on by itself.',
    ),
    resumes_at: seconds('When it looks again, if it is paused.'),
    output_file_id: nullable(Type.String(), 'The file with the answers, when the batch has ended and there are some.'),
    error_file_id: nullable(
      Type.String(),
      'The file with the requests that failed, expired or were cancelled, when the batch has ended and there are some.',
    ),
    created_at: Type.Integer({ description: 'When it was created, in seconds since 1970.' }),
    in_progress_at: seconds('When its first request could be sent.'),
    expires_at: seconds('When its time is over.'),
    finalizing_at: seconds('When the last request had ended.'),
    completed_at: seconds('When it was completed.'),
    failed_at: seconds('When it failed.'),
    expired_at: seconds('When it had expired.'),
    cancelling_at: seconds('When it was to be cancelled.'),
    cancelled_at: seconds('When it was cancelled.'),
    request_counts: Type.Object(
      {
        total: count('All requests; 0 until the input file was checked.'),
        completed: count('Requests with an answer.'),
        failed: count('Requests that failed.'),
      },
      { description: 'How far the batch is.' },
    ),
    metadata: nullable(Metadata, 'Your own notes.'),
  },
  { title: 'Batch', description: 'A batch of requests, as clients of OpenAI know it.' },
)
export type Batch = Static<typeof Batch>

export const BatchList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(Batch, { description: 'The batches, newest first.' }),
    first_id: nullable(Type.String(), 'The first id of this page.'),
    last_id: nullable(Type.String(), 'The last id of this page: send it as `after`.'),
    has_more: Type.Boolean({ description: 'Whether there is a next page.' }),
  },
  { title: 'BatchList', description: 'A page of batches.' },
)

export const BatchWebhook = Type.Object(
  {
    id: Type.String({ description: 'Identifies the event.' }),
    object: Type.Literal('event'),
    type: words(['batch.completed', 'batch.failed', 'batch.expired', 'batch.cancelled'], {
      description: 'How the batch has ended.',
    }),
    created_at: Type.Integer({ description: 'When, in seconds since 1970.' }),
    timestamp: timestamp('The same moment.'),
    data: Type.Object({ id: Type.String({ description: 'The batch.' }) }, { description: 'What it is about.' }),
  },
  { title: 'BatchWebhook', description: 'What is posted to `callback_url` when a batch ends.' },
)
export type BatchWebhook = Static<typeof BatchWebhook>
