import { freeObject, moment, nullable, timestamp, words } from '../base/schema/fields.ts'
import Type, { type Static } from '../base/schema/type.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const MAX_REQUESTS = 50_000

export const CreateMessageBatch = Type.Object(
  {
    requests: Type.Array(
      Type.Object(
        {
          custom_id: Type.String({
            minLength: 1,
            maxLength: 64,
            description: 'Your own id of this request: letters, digits, `_` and `-`.',
          }),
          params: freeObject({ description: 'The body, as `/v3/v1/messages` takes it.' }),
        },
        { description: 'A request of the batch.' },
      ),
      { minItems: 1, maxItems: MAX_REQUESTS, description: 'The requests. Models may differ between them.' },
    ),
  },
  { title: 'CreateMessageBatch', description: 'Messages that are created later.' },
)
export type CreateMessageBatch = Static<typeof CreateMessageBatch>

export const MessageBatch = Type.Object(
  {
    id: Type.String({ description: 'Identifies the batch.' }),
    type: Type.Literal('message_batch'),
    processing_status: words(['in_progress', 'canceling', 'ended'], { description: 'The state of the batch.' }),
    request_counts: Type.Object(
      {
        processing: count('Requests that have no answer yet.'),
        succeeded: count('Requests with an answer.'),
        errored: count('Requests that failed.'),
        canceled: count('Requests that were not sent, because the batch was cancelled.'),
        expired: count('Requests that were not sent, because the time was over.'),
      },
      { description: 'How far the batch is.' },
    ),
    created_at: timestamp('When it was created.'),
    expires_at: timestamp('When its time is over.'),
    ended_at: nullable(moment, 'When it ended.'),
    cancel_initiated_at: nullable(moment, 'When it was to be cancelled.'),
    archived_at: nullable(moment, 'Always null: the results are a file, which is kept as long as files of tasks are.'),
    results_url: nullable(Type.String(), 'Where the results are, when the batch has ended.'),
    paused_reason: nullable(
      Type.String(),
      'Why no request is sent at the moment, such as a budget that is spent. The batch goes on by itself.',
    ),
    errors: Type.Array(Type.String(), { description: 'Why the batch was not run, or not to its end.' }),
  },
  { title: 'MessageBatch', description: 'A batch of messages, as clients of Anthropic know it.' },
)
export type MessageBatch = Static<typeof MessageBatch>

export const MessageBatchList = Type.Object(
  {
    data: Type.Array(MessageBatch, { description: 'The batches, newest first.' }),
    has_more: Type.Boolean({ description: 'Whether there is a next page.' }),
    first_id: nullable(Type.String(), 'The first id of this page.'),
    last_id: nullable(Type.String(), 'The last id of this page: send it as `after_id`.'),
  },
  { title: 'MessageBatchList', description: 'A page of batches, as clients of Anthropic list them.' },
)

export const DeletedMessageBatch = Type.Object(
  { id: Type.String({ description: 'The id of the batch.' }), type: Type.Literal('message_batch_deleted') },
  { title: 'DeletedMessageBatch', description: 'A batch that is gone.' },
)
