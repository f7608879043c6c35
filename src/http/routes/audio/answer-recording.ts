import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AudioOrder, transcribe } from '../../../endpoints/audio/transcriptions.ts'
import { TranscriptionRequest, TranslationRequest } from '../../../contract/audio.ts'
import { strayFinder } from '../../../contract/stray-fields.ts'
import { TempFiles } from '../../../calls/files/temp-files.ts'
import type { JsonBody } from '../../../translation/json/parse-body.ts'
import { readerOf } from '../../memory-lease.ts'
import { labelAs, type OpenReply, openReply, refuseStray, wholeReply } from '../../open-reply.ts'
import type { HttpServices } from '../../route.ts'
import { bytesReply } from './bytes-reply.ts'
import { readTranscriptionForm } from './transcription-form.ts'

const JSON_FORMATS: readonly unknown[] = ['json', 'verbose_json', 'diarized_json']

/** Fields of a form are checked here; those of JSON were before. */
const FIND_STRAY = {
  transcriptions: strayFinder(TranscriptionRequest.properties, { isOpen: true, streams: true }),
  translations: strayFinder(TranslationRequest.properties, { isOpen: true, streams: false }),
}

type Named = TranscriptionRequest | TranslationRequest
type RecordingRequest = FastifyRequest<{ Body: Readable | JsonBody<Named> }>

/** Answers a request with a recording: as a form, or as JSON that names one. */
export async function answerRecording(
  request: RecordingRequest,
  reply: FastifyReply,
  services: HttpServices,
  kind: AudioOrder['kind'],
): Promise<void> {
  const { body } = request
  if (!(body instanceof Readable)) return await answer(orderOf(body.value, kind), request, reply, services)
  const tempFiles = new TempFiles(services.calls.config.dataDir, request.caller.owner)
  try {
    const space = { maxBytes: services.calls.files.maxFileBytes, tempFiles, reader: readerOf(request, services.calls) }
    await answer(await readTranscriptionForm(request, space, kind), request, reply, services)
  } finally {
    await tempFiles.close()
  }
}

async function answer(
  order: AudioOrder,
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
): Promise<void> {
  refuseStray(order.fields, FIND_STRAY[order.kind])
  const open = openReply(request, reply, services, 'universal')
  labelAs(open, order.fields)
  const { response_format, stream } = order.fields
  const isJson = !stream && JSON_FORMATS.includes(response_format ?? 'json')
  return isJson ? await jsonReply(order, open) : await bytesReply(open, async () => await textOf(order, open))
}

function orderOf({ file_id, file_url, ...fields }: Named, kind: AudioOrder['kind']): AudioOrder {
  const named = file_id ? { reference: file_id, field: 'file_id' as const } : undefined
  return { fields, recording: named ?? { reference: file_url ?? '', field: 'file_url' }, kind }
}

async function jsonReply(order: AudioOrder, open: OpenReply): Promise<void> {
  await wholeReply(open, async () => {
    const written = await transcribe(order, open.call, open.services.calls)
    if ('json' in written) return written.json
    throw new TypeError('a transcript was requested as JSON')
  })
}

async function textOf(order: AudioOrder, open: OpenReply) {
  const written = await transcribe(order, open.call, open.services.calls)
  if ('bytes' in written) return written
  throw new TypeError('a transcript was requested as text')
}
