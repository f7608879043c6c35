import type { FastifyRequest } from 'fastify'
import { TranscriptionFields } from '../../../contract/audio.ts'
import { ByteQueue } from '../../../contract/byte-queue.ts'
import { problem } from '../../../contract/problems.ts'
import { validator } from '../../../contract/validator.ts'
import { spellingFaults } from '../../../core/governed-names.ts'
import type { Recording } from '../../../core/transcriptions.ts'
import { type Part, readField, readMultipart } from '../../multipart.ts'
import { validationProblem } from '../../problems.ts'
import { formBytes, leftForm } from '../../upload-form.ts'

/** A recording of a form stands in memory. Who has a larger one uploads it first, which goes to the disk. */
const MAX_FORM_BYTES = 50 * 1024 * 1024
const LIMITS = { maxParts: 100, maxFieldBytes: 64 * 1024 }
const LISTS: ReadonlySet<string> = new Set(['timestamp_granularities', 'include', 'fallbacks'])

const fieldsOf = validator(TranscriptionFields)

export type TranscriptionOrder = { fields: TranscriptionFields; recording: Recording }

type Form = { fields: Record<string, unknown>; recording: Recording | undefined }

/** Parts may come in any order. */
export async function readTranscriptionForm(request: FastifyRequest, maxBytes: number): Promise<TranscriptionOrder> {
  const form: Form = { fields: {}, recording: undefined }
  try {
    const source = formBytes(request)
    for await (const part of readMultipart(String(request.headers['content-type']), source, LIMITS))
      await readPart(part, form, Math.min(maxBytes, MAX_FORM_BYTES))
    return checked(form)
  } catch (error) {
    throw leftForm(request, error)
  }
}

async function readPart(part: Part, form: Form, maxBytes: number): Promise<void> {
  if (part.name !== 'file') return addField(part.name, await readField(part), form)
  if (form.recording) throw refused('file', 'Only one file may be sent at a time', 'value_error')
  const bytes = await readFile(part, maxBytes)
  const { filename = 'audio', contentType = 'application/octet-stream' } = part as Part & { contentType?: string }
  const about = { name: filename, type: contentType, size: bytes.length, pages: null }
  form.recording = { ...about, bytes: async () => bytes }
}

async function readFile({ bytes }: Part, maxBytes: number): Promise<Uint8Array> {
  const gathered = new ByteQueue()
  for await (const chunk of bytes) {
    gathered.push(chunk)
    if (gathered.length > maxBytes)
      throw problem('too_large', { message: 'The recording is too large: upload it, and send its id.' })
  }
  return gathered.takeAll()
}

function addField(name: string, text: string, { fields }: Form): void {
  const key = name.endsWith('[]') ? name.slice(0, -2) : name
  if (key === '__proto__' || (Object.hasOwn(fields, key) && !LISTS.has(key)))
    throw refused(name, 'This field may be sent only once', 'value_error')
  if (LISTS.has(key)) fields[key] = [...((fields[key] as string[] | undefined) ?? []), text]
  else fields[key] = readValue(key, text)
}

/** A form has texts only; what is no number or no switch is left for the check to refuse. */
function readValue(key: string, text: string): unknown {
  if (key === 'temperature' && text !== '' && Number.isFinite(Number(text))) return Number(text)
  return key === 'stream' && /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text
}

function checked({ fields, recording }: Form): TranscriptionOrder {
  const spelling = spellingFaults(fields)
  if (!fieldsOf.check(fields) || spelling.length > 0)
    throw validationProblem([...fieldsOf.faults(fields, ['body']), ...spelling])
  if (!recording) throw refused('file', 'Field required', 'missing')
  return { fields, recording }
}

function refused(field: string, msg: string, type: string) {
  return validationProblem([{ loc: ['body', field], msg, type }])
}
