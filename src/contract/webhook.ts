import Type, { type Static } from '../schema/type.ts'
import { freeObject, nullable, timestamp, uuid, words } from '../schema/fields.ts'

export const WebhookPayload = Type.Object(
  {
    event: Type.Literal('async_job_completed'),
    job_id: uuid('The job. One job may be told of more than once.'),
    status: words(['success', 'fail'], { description: 'How it went.' }),
    feature: Type.String({ description: 'First part of the model string.' }),
    subfeature: Type.String({ description: 'Second part of the model string.' }),
    provider: Type.String({ description: 'Who did it.' }),
    model: nullable(Type.String(), "The provider's model, if one was named."),
    created_at: timestamp('When the job was accepted.'),
    finished_at: timestamp('When it was done.'),
    output: Type.Optional(freeObject({ description: 'The result. Only with the status `success`.' })),
    error: Type.Optional(
      Type.Object(
        { message: Type.String({ description: 'What went wrong.' }) },
        { description: 'Only with the status `fail`.' },
      ),
    ),
    original_response: Type.Optional(Type.Unknown({ description: "The provider's own answer, when asked for." })),
    user_parameters: Type.Optional(freeObject({ description: 'The `user_webhook_parameters` of the request.' })),
  },
  { title: 'WebhookPayload', description: 'What is posted to `webhook_receiver` when a job is done.' },
)
export type WebhookPayload = Static<typeof WebhookPayload>
