import Type, { type Static } from '../base/schema/type.ts'
import { freeObject, nullable, timestamp, uuid, words } from '../base/schema/fields.ts'

export const WebhookPayload = Type.Object(
  {
    event: Type.Literal('async_job_completed'),
    job_id: uuid('The job. A receiver may get more than one webhook for a job.'),
    status: words(['success', 'fail'], { description: 'The outcome.' }),
    feature: Type.String({ description: 'The first part of the model string.' }),
    subfeature: Type.String({ description: 'The second part of the model string.' }),
    provider: Type.String({ description: 'The provider that did the task.' }),
    model: nullable(Type.String(), "The provider's model, if one was named."),
    created_at: timestamp('When the job was accepted.'),
    finished_at: timestamp('When it finished.'),
    output: Type.Optional(freeObject({ description: 'The result. Only if the status is `success`.' })),
    error: Type.Optional(
      Type.Object(
        { message: Type.String({ description: 'The error message.' }) },
        { description: 'Only if the status is `fail`.' },
      ),
    ),
    original_response: Type.Optional(Type.Unknown({ description: "The provider's original answer, if requested." })),
    user_parameters: Type.Optional(freeObject({ description: 'The `user_webhook_parameters` of the request.' })),
  },
  { title: 'WebhookPayload', description: 'What is posted to `webhook_receiver` when a job is done.' },
)
export type WebhookPayload = Static<typeof WebhookPayload>
