import { closed, nullable, optional, timestamp, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { DAY_SECONDS } from '../../base/units/units.ts'

const CONTENT_MODES = ['off', 'redacted', 'full'] as const
/** How many requests of a key may be recorded at once, and for how long at most. */
const MAX_RECORDED = 1_000
const MAX_RECORDING_SECONDS = 7 * DAY_SECONDS

export const ContentSettings = Type.Object(
  {
    mode: words(CONTENT_MODES, {
      description:
        'What is kept of requests and answers: nothing, the text after redaction hooks and without personal data that ' +
        'patterns find (`redacted`), or all of it (`full`). Never the bytes of images, files or audio.',
    }),
    days: optional(Type.Integer({ minimum: 1, maximum: 365 }), 'How long it is kept.', { default: 7 }),
    bytes_per_field: optional(
      Type.Integer({ minimum: 100, maximum: 65_536 }),
      'How much of each text is kept. What is cut off is marked.',
      { default: 8_192 },
    ),
    managers_read: optional(
      Type.Boolean(),
      'Whether managers of the project may read it, and what jobs and webhooks of the project contain.',
      { default: false },
    ),
    in_spans: optional(
      Type.Boolean(),
      'Whether what is kept of chats is also sent to the OpenTelemetry collector, in the spans of their attempts.',
      { default: false },
    ),
  },
  { title: 'ContentSettings', description: 'What is kept of the content of requests.', ...closed },
)
export type ContentSettings = Static<typeof ContentSettings>

/** For jobs and webhooks, whose contents are there in any case. */
export const CanReadContent = Type.Boolean({ description: 'Whether `content=true` would show you the contents.' })

export const RecordKeyRequest = Type.Object(
  {
    requests: Type.Integer({ minimum: 1, maximum: MAX_RECORDED, description: 'How many requests are recorded.' }),
    expires_in_seconds: Type.Integer({
      minimum: 60,
      maximum: MAX_RECORDING_SECONDS,
      description: 'Nothing is recorded after this time.',
    }),
    mode: optional(words(['redacted', 'full']), 'As in the content settings of a project.', { default: 'redacted' }),
  },
  { title: 'RecordKeyRequest', description: 'Which requests of a key are recorded with their content.', ...closed },
)
export type RecordKeyRequest = Static<typeof RecordKeyRequest>

export const RequestContent = Type.Object(
  {
    id: Type.String({ description: 'The id of the call.' }),
    project: Type.String({ description: 'The id of its project.' }),
    mode: words(['redacted', 'full'], { description: 'What was kept.' }),
    created_at: timestamp('When it was kept.'),
    expires_at: timestamp('When it is deleted.'),
    status: Type.Integer({ description: 'The status of the call.' }),
    code: nullable(Type.String(), 'The code of its error. Null if there was none.'),
    request: Type.Unknown({ description: 'What the caller sent, in its own format.' }),
    answer: Type.Unknown({
      description: 'What the caller got. Of a stream, its texts and tool calls. Null if not kept.',
    }),
  },
  { title: 'RequestContent', description: 'The content of a call.' },
)
export type RequestContent = Static<typeof RequestContent>

const CONTENT_STATES = ['kept', 'none', 'not_allowed'] as const

export const ContentState = words(CONTENT_STATES, {
  description:
    'Whether you can read what was asked and answered: it was kept, nothing of it was kept (or not yet, or not any more), or ' +
    'you may not read it, whether or not it was kept.',
})
export type ContentState = Static<typeof ContentState>
