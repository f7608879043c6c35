import { freeObject, optional, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'

const MAX_REQUESTS = 50_000
const text = (description: string) => Type.Optional(Type.String({ description }))
const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

const InlinedRequest = Type.Object(
  {
    request: freeObject({ description: 'The body, as `:generateContent` takes it. A `model` in it is another model.' }),
    metadata: optional(freeObject(), 'By what you recognize the answer, such as a `key`.'),
  },
  { description: 'A request of the batch.' },
)

const input = {
  fileName: optional(
    Type.String({ maxLength: 100 }),
    'A file of yours with a line `{"key", "request"}` for each request: `files/…`.',
  ),
  file_name: optional(Type.String({ maxLength: 100 }), 'The same as `fileName`.'),
  requests: optional(
    Type.Object({
      requests: Type.Array(InlinedRequest, { minItems: 1, maxItems: MAX_REQUESTS, description: 'The requests.' }),
    }),
    'The requests themselves, instead of a file.',
  ),
}
const InputConfig = Type.Object(input, { description: 'Where the requests are: in a file, or here.' })
export type InputConfig = Static<typeof InputConfig>

export const BatchGenerateContentRequest = Type.Object(
  {
    batch: Type.Object(
      {
        displayName: optional(Type.String({ maxLength: 255 }), 'A name for people.'),
        display_name: optional(Type.String({ maxLength: 255 }), 'The same as `displayName`.'),
        model: optional(Type.String({ maxLength: 300 }), 'The model of the path counts.'),
        inputConfig: Type.Optional(InputConfig),
        input_config: Type.Optional(Type.Object(input, { description: 'The same as `inputConfig`.' })),
        priority: optional(Type.String({ maxLength: 30 }), 'Has no effect: all batches share fairly.'),
      },
      { description: 'The batch.' },
    ),
  },
  { title: 'BatchGenerateContentRequest', description: 'Requests in the Gemini format that are answered later.' },
)
export type BatchGenerateContentRequest = Static<typeof BatchGenerateContentRequest>

export const GeminiBatch = Type.Object(
  {
    name: Type.String({ description: '`batches/` and the id of the batch.' }),
    done: Type.Boolean({ description: 'Whether it has ended.' }),
    metadata: Type.Object(
      {
        '@type': Type.String({ description: 'What the metadata is about.' }),
        model: Type.String({ description: 'The model.' }),
        displayName: text('The name for people.'),
        state: words(
          [
            ...(['BATCH_STATE_PENDING', 'BATCH_STATE_RUNNING', 'BATCH_STATE_SUCCEEDED'] as const),
            ...(['BATCH_STATE_FAILED', 'BATCH_STATE_CANCELLED', 'BATCH_STATE_EXPIRED'] as const),
          ],
          { description: 'The state of the batch.' },
        ),
        createTime: time('When it was created.'),
        updateTime: time('When its state changed.'),
        endTime: time('When it ended.'),
        pausedReason: text('Why no request is sent at the moment. The batch goes on by itself.'),
        batchStats: Type.Object(
          {
            requestCount: text('All requests.'),
            successfulRequestCount: text('Requests with an answer.'),
            failedRequestCount: text('Requests that failed.'),
            pendingRequestCount: text('Requests without an answer.'),
          },
          { description: 'How far the batch is.' },
        ),
        output: Type.Optional(
          Type.Object(
            {
              responsesFile: text('The file with the answers.'),
              inlinedResponses: Type.Optional(
                Type.Object(
                  { inlinedResponses: Type.Array(freeObject(), { description: 'An answer or an error each.' }) },
                  { description: 'The answers, if the requests were in no file.' },
                ),
              ),
            },
            { description: 'The answers, when the batch has ended.' },
          ),
        ),
      },
      { description: 'What the batch is and how far it is.' },
    ),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.Integer({ description: 'The code of the error, as in RPCs.' }),
          message: Type.String({ description: 'The error.' }),
        },
        { description: 'Why the batch was not run, or not to its end.' },
      ),
    ),
  },
  { title: 'GeminiBatch', description: 'A batch as clients of Google know it: an operation.' },
)
export type GeminiBatch = Static<typeof GeminiBatch>

export const GeminiBatchList = Type.Object(
  {
    operations: Type.Array(GeminiBatch, { description: 'The batches, newest first.' }),
    nextPageToken: text('Send it as `pageToken` to get the next page. Absent on the last page.'),
  },
  { title: 'GeminiBatchList', description: 'A page of batches, as clients of Google list them.' },
)

export const GeminiEmpty = Type.Object({}, { title: 'GeminiEmpty', description: 'It is done.' })
