import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Transcription, TranscriptionForm, TranscriptionRequest } from '../../../contract/audio.ts'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import { transcribe } from '../../../core/transcriptions.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import { type CallLine, openLine, wholeReply } from '../../call-line.ts'
import { modelListRoute } from '../../model-list-route.ts'
import type { House, Route } from '../../route.ts'
import { bytesReply } from './bytes-reply.ts'
import { readTranscriptionForm, type TranscriptionOrder } from './transcription-form.ts'

const path = '/v3/audio/transcriptions'
const JSON_FORMATS: readonly unknown[] = ['json', 'verbose_json', 'diarized_json']

export const create: Route = {
  method: 'POST',
  path,
  access: 'key',
  scope: 'universal',
  multipart: true,
  summary: 'Speech as text',
  description:
    'A recording as a form with `file`, or as JSON with the `file_id` of an upload or a `file_url`. The formats `text`, ' +
    '`srt` and `vtt` come as text; what they cost is not in them.',
  body: TranscriptionRequest,
  form: TranscriptionForm,
  replies: {
    200: { description: 'The transcript.', schema: Transcription },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'The model failed; the message has the reason.', schema: ErrorBody },
  },
  handle,
}

export const models = modelListRoute(path, 'transcription', 'Transcription models')

async function handle(request: FastifyRequest, reply: FastifyReply, house: House): Promise<void> {
  const isForm = request.body instanceof Readable
  const { maxFileBytes } = house.outside.files
  const order = isForm ? await readTranscriptionForm(request, maxFileBytes) : orderOf(request)
  const line = openLine(request, reply, house, 'universal')
  const isJson = JSON_FORMATS.includes(order.fields.response_format ?? 'json')
  return isJson ? await jsonReply(order, line) : await textReply(order, line)
}

function orderOf({ body }: FastifyRequest): TranscriptionOrder {
  const { file_id, file_url, ...fields } = (body as JsonBody).value as TranscriptionRequest
  const named = file_id ? { reference: file_id, field: 'file_id' as const } : undefined
  return { fields, recording: named ?? { reference: file_url ?? '', field: 'file_url' } }
}

async function jsonReply({ fields, recording }: TranscriptionOrder, line: CallLine): Promise<void> {
  await wholeReply(line, async () => {
    const written = await transcribe(fields, recording, line.call, line.house.outside)
    // A provider that has only text for us: it is the same transcript.
    return 'json' in written ? written.json : { text: written.text, cost: line.call.cost, provider: line.call.provider }
  })
}

async function textReply({ fields, recording }: TranscriptionOrder, line: CallLine): Promise<void> {
  await bytesReply(line, async () => {
    const written = await transcribe(fields, recording, line.call, line.house.outside)
    const text = 'json' in written ? written.json.text : written.text
    return { type: 'type' in written ? written.type : 'text/plain; charset=utf-8', bytes: bytesOf(text) }
  })
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
