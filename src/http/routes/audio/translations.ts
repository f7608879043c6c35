import { Transcription, TranslationForm, TranslationRequest } from '../../../contract/audio.ts'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import { route } from '../../define-route.ts'
import { answerRecording } from './answer-recording.ts'

export default route({
  method: 'POST',
  path: '/v3/audio/translations',
  access: 'key',
  scope: 'universal',
  multipart: true,
  summary: 'Translate speech to English text',
  description:
    'A recording as a form with `file`, or as JSON with the `file_id` of an upload or a `file_url`. Few models translate, among ' +
    'them `openai/whisper-1` and `groq/whisper-large-v3`. The formats `text`, `srt` and `vtt` come as text, with the cost in the ' +
    'header `x-gatehouse-cost`.',
  body: TranslationRequest,
  form: TranslationForm,
  replies: {
    200: { description: 'The translation.', schema: Transcription, texts: ['text/plain'] },
    400: { description: 'The model does not translate. The message names models that do.', schema: ErrorBody },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The model failed. The message has the reason.', schema: ErrorBody },
  },
  handle: (request, reply, services) => answerRecording(request, reply, services, 'translations'),
})
