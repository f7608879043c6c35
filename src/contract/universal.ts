import Type, { type Static } from '../base/schema/type.ts'
import { freeObject, nullable, optional, timestamp, uuid, words } from '../base/schema/fields.ts'
import { paged } from './paging.ts'

const request = {
  model: Type.String({
    description: 'The task and its provider, as `feature/subfeature/provider[/model]`.',
    examples: ['text/moderation/sandbox'],
  }),
  input: freeObject({ description: 'The input of the task. Its keys depend on the task.' }),
  fallbacks: optional(
    Type.Array(Type.String(), { maxItems: 3 }),
    'Providers to try, in this order, if one fails. Feature and subfeature may be left out.',
  ),
  provider_params: optional(freeObject(), 'Further settings, passed to the provider.'),
  show_original_response: optional(Type.Boolean(), "Add the provider's original answer.", { default: false }),
}

export const UniversalRequest = Type.Object(request, { title: 'UniversalRequest', description: 'A task to run now.' })
export type UniversalRequest = Static<typeof UniversalRequest>

export const UniversalAsyncRequest = Type.Object(
  {
    ...request,
    webhook_receiver: optional(
      Type.String({ minLength: 1, maxLength: 2083 }),
      'An https:// URL to call when the job is done.',
    ),
    user_webhook_parameters: optional(
      freeObject(),
      'Sent back as `user_parameters` in the job and in the webhook. At most 262,144 characters as JSON.',
    ),
  },
  { title: 'UniversalAsyncRequest', description: 'A task to run in the background.' },
)
export type UniversalAsyncRequest = Static<typeof UniversalAsyncRequest>

const result = {
  cost: nullable(Type.Number(), 'What the task cost, in USD. Null if the price is not known.'),
  provider: Type.String({ description: 'The provider that did the task.' }),
  feature: Type.String({ description: 'The first part of the model string.' }),
  subfeature: Type.String({ description: 'The second part of the model string.' }),
  output: Type.Optional(
    Type.Unknown({ description: 'The result. Its shape depends on the task; null if there is none.' }),
  ),
  error: optional(
    Type.Object({ message: Type.String({ description: 'The error message.' }) }),
    'Set if the status is `fail`.',
  ),
  original_response: Type.Optional(Type.Unknown({ description: "The provider's original answer, if requested." })),
}

export const UniversalResponse = Type.Object(
  { status: words(['success', 'fail'], { description: 'The outcome.' }), ...result },
  { title: 'UniversalResponse', description: 'The result of a task.', additionalProperties: true },
)
export type UniversalResponse = Static<typeof UniversalResponse>

export const JobStatus = words(['processing', 'success', 'fail'], {
  title: 'JobStatus',
  description: 'The state of a job. `success` and `fail` are final.',
})
export type JobStatus = Static<typeof JobStatus>

const job = {
  public_id: uuid('Identifies the job.'),
  job_id: uuid('The same id, under the name that the path and the webhook use.'),
  status: JobStatus,
  model: nullable(Type.String(), "The provider's model, if one was named."),
  created_at: timestamp('When the job was accepted.'),
}

export const UniversalJob = Type.Object(
  {
    ...job,
    ...result,
    user_parameters: Type.Optional(
      freeObject({
        description: 'Your `user_webhook_parameters`, with every number as you wrote it. Absent if not set.',
      }),
    ),
  },
  { title: 'UniversalJob', description: 'A task in the background.', additionalProperties: true },
)
export type UniversalJob = Static<typeof UniversalJob>

export const DeletedJob = Type.Object(
  {
    public_id: job.public_id,
    job_id: job.job_id,
    deleted: Type.Boolean({ description: 'Always true: what does not exist gets a 404.' }),
  },
  { title: 'DeletedJob', description: 'The result of the deletion.' },
)

const JobSummary = Type.Object(
  { ...job, provider: result.provider, feature: result.feature, subfeature: result.subfeature },
  { description: 'A job without its result.', additionalProperties: true },
)

export const UniversalJobList = paged(JobSummary, 'UniversalJobList', "The caller's jobs.")
export type UniversalJobList = Static<typeof UniversalJobList>
