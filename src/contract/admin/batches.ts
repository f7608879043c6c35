import { closed, moment, nullable, timestamp, uuid, words } from '../../base/schema/fields.ts'
import Type, { type Static, type TSchema } from '../../base/schema/type.ts'
import { BatchError, EXECUTIONS } from '../batches.ts'
import { pageOf } from '../paging.ts'

// What operators find out about batches.

const text = (description: string) => Type.String({ minLength: 1, maxLength: 300, description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const BATCH_STATES = [
  ...(['validating', 'in_progress', 'cancelling', 'finalizing'] as const),
  ...(['completed', 'failed', 'expired', 'cancelled'] as const),
] as const

/** `open` is every state before the end. */
const BATCH_FILTER_STATES = ['open', ...BATCH_STATES] as const

export const BATCH_QUERY = {
  status: Type.Optional(
    words([...BATCH_FILTER_STATES], { description: 'Only batches in this state; `open` is all that have not ended.' }),
  ),
  project: Type.Optional(text('Only batches of this project.')),
  key: Type.Optional(text('Only batches that this key submitted.')),
  from: Type.Optional(timestamp('Only batches that were accepted at this time or later.')),
  to: Type.Optional(timestamp('Only batches that were accepted before this time.')),
} satisfies Record<string, TSchema>

export const WatchedBatch = Type.Object(
  {
    id: uuid('Identifies the batch, also in the ledger.'),
    name: Type.String({ description: 'The id as its client knows it.' }),
    api: words(['openai', 'anthropic', 'gemini'], { description: 'Whose API the client speaks.' }),
    owner: Type.String({ description: 'Whose it is: the id of the project, or of the key where keys do not share.' }),
    project: Type.String({ description: 'The project that it belongs to.' }),
    key_id: Type.String({ description: 'The id of the key that submitted it.' }),
    key_name: nullable(Type.String(), 'The name of the key, also of a deleted one.'),
    endpoint: nullable(Type.String(), 'What all requests are for; null if each line names its own.'),
    execution: words([...EXECUTIONS], {
      description: 'What answers: `native` providers, `emulated` the gateway, `auto` whichever can.',
    }),
    status: words([...BATCH_STATES], { description: 'The state of the batch.' }),
    paused_reason: nullable(Type.String(), 'Why no request is sent at the moment. The batch goes on by itself.'),
    resumes_at: nullable(moment, 'When it looks again, if it is paused.'),
    total: count('All requests; 0 until the file was checked.'),
    succeeded: count('Requests with an answer.'),
    errored: count('Requests that failed.'),
    cancelled: count('Requests that were cancelled.'),
    expired: count('Requests that expired.'),
    created_at: timestamp('When it was accepted.'),
    started_at: nullable(moment, 'When its first request could be sent.'),
    expires_at: timestamp('When its time is over.'),
    ended_at: nullable(moment, 'When it ended.'),
  },
  { title: 'WatchedBatch', description: 'A batch without its contents.' },
)
export type WatchedBatch = Static<typeof WatchedBatch>

export const WatchedBatchList = pageOf(WatchedBatch, {
  title: 'WatchedBatchList',
  description: 'Batches of all owners, page by page.',
  items: 'The batches, newest first.',
})
export type WatchedBatchList = Static<typeof WatchedBatchList>

const ProviderPart = Type.Object(
  {
    id: nullable(Type.String(), 'The id that the provider gave to it; null as long as that is not known.'),
    provider: Type.String({ description: 'The provider.' }),
    model: Type.String({ description: 'The model.' }),
    state: words(['prepared', 'submitting', 'running', 'guessed', 'cancelling'], {
      description: 'How far it is. `guessed`: most likely this one, because the answer to its creation was lost.',
    }),
    requests: count('Requests in it.'),
    created_at: timestamp('When it was prepared.'),
  },
  { title: 'ProviderPart', description: 'A batch at a provider with requests of this batch.' },
)

export const BatchRecord = Type.Object(
  {
    ...WatchedBatch.properties,
    input_file_id: Type.String({ description: 'The file with the requests.' }),
    webhook: nullable(Type.String(), 'Its receiver, without what may be a secret in its address.'),
    errors: Type.Array(BatchError, { description: 'Why it is not run, or not to its end. At most 100.' }),
    at_providers: Type.Array(ProviderPart, {
      description: 'Batches at providers that have requests of it now. The gateway asks all other requests itself.',
    }),
    can_cancel: Type.Boolean({ description: 'Whether you may cancel it, and its state allows that.' }),
  },
  { ...closed, title: 'BatchRecord', description: 'A batch with what providers have of it.' },
)
export type BatchRecord = Static<typeof BatchRecord>
