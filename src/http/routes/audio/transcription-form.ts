import type { FastifyRequest } from 'fastify'
import { TranscriptionFields, TranslationFields } from '../../../contract/audio.ts'
import { problem } from '../../../contract/problems.ts'
import { validator } from '../../../base/schema/validator.ts'
import { spellingIssues } from '../../../calls/upstream/governed-names.ts'
import { type FileAccess, countedBytes } from '../../../calls/file-inputs/file-references.ts'
import type { TempFiles } from '../../../calls/files/temp-files.ts'
import { toTempFile } from '../../../calls/files/temp-file-writer.ts'
import type { AudioOrder, Recording } from '../../../endpoints/audio/transcriptions.ts'
import { type Part, readField, readMultipart } from '../../forms/multipart.ts'
import { validationProblem } from '../../problems.ts'
import { formBytes, discardForm } from '../../forms/upload-form.ts'
import { MB } from '../../../base/units/units.ts'

/** Larger files have to be uploaded first. */
const MAX_FORM_BYTES = 50 * MB
const LIMITS = { maxParts: 100, maxFieldBytes: 64 * 1024 }
const LISTS: ReadonlySet<string> = new Set(['timestamp_granularities', 'include', 'fallbacks'])

const CHECKS = { transcriptions: validator(TranscriptionFields), translations: validator(TranslationFields) }

/** A large recording is held in a temp file until it is sent. The caller closes the temp files. */
type RecordingSpace = { maxBytes: number; tempFiles: TempFiles; reader: Pick<FileAccess, 'memory'> }

type Form = { fields: Record<string, unknown>; recording: Recording | undefined }

/** Parts may come in any order. */
export async function readTranscriptionForm(
  request: FastifyRequest,
  space: RecordingSpace,
  kind: AudioOrder['kind'],
): Promise<AudioOrder> {
  const form: Form = { fields: {}, recording: undefined }
  try {
    const source = formBytes(request)
    for await (const part of readMultipart(String(request.headers['content-type']), source, LIMITS))
      await readPart(part, form, space)
    const { deployment: model } = request
    if (model !== undefined) form.fields.model = model
    return checked(form, kind)
  } catch (error) {
    throw discardForm(request, error)
  }
}

async function readPart(part: Part, form: Form, { maxBytes, tempFiles, reader }: RecordingSpace): Promise<void> {
  if (part.name !== 'file') return addField(part.name, await readField(part), form)
  if (form.recording) throw refused('file', 'Only one file may be sent at a time', 'value_error')
  const tempFile = await toTempFile(bounded(part, Math.min(maxBytes, MAX_FORM_BYTES)), tempFiles)
  const { filename = 'audio', contentType = 'application/octet-stream' } = part as Part & { contentType?: string }
  const about = { name: filename, type: contentType, size: tempFile.length, pages: null }
  form.recording = { ...about, head: tempFile.head, bytes: countedBytes(tempFile, reader) }
}

async function* bounded({ bytes }: Part, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > maxBytes)
      throw problem('too_large', { message: 'The recording is too large. Upload it, and send its id.' })
    yield chunk
  }
}

function addField(name: string, text: string, { fields }: Form): void {
  const key = name.endsWith('[]') ? name.slice(0, -2) : name
  if (key === '__proto__' || (Object.hasOwn(fields, key) && !LISTS.has(key)))
    throw refused(name, 'This field may be sent only once', 'value_error')
  if (LISTS.has(key)) fields[key] = [...((fields[key] as string[] | undefined) ?? []), text]
  else fields[key] = readValue(key, text)
}

/** A form contains only texts. A text that is neither a number nor a boolean is left for validation to refuse. */
function readValue(key: string, text: string): unknown {
  if (key === 'temperature' && text !== '' && Number.isFinite(Number(text))) return Number(text)
  return key === 'stream' && /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text
}

function checked({ fields, recording }: Form, kind: AudioOrder['kind']): AudioOrder {
  const { check, issues } = CHECKS[kind]
  const spelling = spellingIssues(fields)
  if (!check(fields) || spelling.length > 0) throw validationProblem([...issues(fields, ['body']), ...spelling])
  if (!recording) throw refused('file', 'Field required', 'missing')
  return { fields: fields as AudioOrder['fields'], recording, kind }
}

function refused(field: string, msg: string, type: string) {
  return validationProblem([{ loc: ['body', field], msg, type }])
}
