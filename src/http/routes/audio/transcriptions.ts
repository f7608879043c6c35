import { Transcription, TranscriptionForm, TranscriptionRequest } from '../../../contract/audio.ts'
import { TranscriptionEvent } from '../../../contract/events.ts'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import { modelListRoute } from '../../model-list-route.ts'
import { route } from '../../define-route.ts'
import { answerRecording } from './answer-recording.ts'

const path = '/v3/audio/transcriptions'

export const create = route({
  method: 'POST',
  path,
  access: 'key',
  scope: 'universal',
  multipart: true,
  summary: 'Transcribe speech',
  description:
    'A recording as a form with `file`, or as JSON with the `file_id` of an upload or a `file_url`. The formats `text`, ' +
    '`srt` and `vtt` come as text, with the cost in the header `x-gatehouse-cost`. With `stream` it comes as events.',
  body: TranscriptionRequest,
  form: TranscriptionForm,
  replies: {
    200: { description: 'The transcript.', schema: Transcription, texts: ['text/plain'], events: TranscriptionEvent },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The model failed. The message has the reason.', schema: ErrorBody },
  },
  handle: (request, reply, services) => answerRecording(request, reply, services, 'transcriptions'),
})

export const models = modelListRoute(path, 'transcription', 'transcription models')
