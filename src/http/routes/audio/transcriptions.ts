import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Transcription, TranscriptionForm, TranscriptionRequest } from '../../../contract/audio.ts'
import { TranscriptionEvent } from '../../../contract/events.ts'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import { TempFiles } from '../../../files/temp-files.ts'
import { transcribe } from '../../../audio/transcriptions.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import { labelAs, type OpenReply, openReply, wholeReply } from '../../open-reply.ts'
import { readerOf } from '../../memory-lease.ts'
import { modelListRoute } from '../../model-list-route.ts'
import type { HttpServices, Route } from '../../services.ts'
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
  summary: 'Speech to text',
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
  handle,
}

export const models = modelListRoute(path, 'transcription', 'Transcription models')

async function handle(request: FastifyRequest, reply: FastifyReply, services: HttpServices): Promise<void> {
  if (!(request.body instanceof Readable)) return await answer(orderOf(request), request, reply, services)
  const { context } = services
  const tempFiles = new TempFiles(context.config.dataDir, request.caller.owner)
  try {
    const space = { maxBytes: context.files.maxFileBytes, tempFiles, reader: readerOf(request, context) }
    await answer(await readTranscriptionForm(request, space), request, reply, services)
  } finally {
    await tempFiles.close()
  }
}

async function answer(
  order: TranscriptionOrder,
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
): Promise<void> {
  const open = openReply(request, reply, services, 'universal')
  labelAs(open, order.fields)
  const { response_format, stream } = order.fields
  const isJson = !stream && JSON_FORMATS.includes(response_format ?? 'json')
  return isJson ? await jsonReply(order, open) : await bytesReply(open, async () => await textOf(order, open))
}

function orderOf({ body }: FastifyRequest): TranscriptionOrder {
  const { file_id, file_url, ...fields } = (body as JsonBody).value as TranscriptionRequest
  const named = file_id ? { reference: file_id, field: 'file_id' as const } : undefined
  return { fields, recording: named ?? { reference: file_url ?? '', field: 'file_url' } }
}

async function jsonReply({ fields, recording }: TranscriptionOrder, open: OpenReply): Promise<void> {
  await wholeReply(open, async () => {
    const written = await transcribe(fields, recording, open.call, open.services.context)
    if ('json' in written) return written.json
    throw new TypeError('a transcript was requested as JSON')
  })
}

async function textOf({ fields, recording }: TranscriptionOrder, open: OpenReply) {
  const written = await transcribe(fields, recording, open.call, open.services.context)
  if ('bytes' in written) return written
  throw new TypeError('a transcript was requested as text')
}
