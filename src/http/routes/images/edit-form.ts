import type { FastifyRequest } from 'fastify'
import { ImageGenerationRequest } from '../../../contract/images.ts'
import { problem } from '../../../contract/problems.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import { validator } from '../../../base/schema/validator.ts'
import { spellingIssues } from '../../../calls/upstream/governed-names.ts'
import { tryParse } from '../../../translation/json/try-parse.ts'
import type { InputImage, UploadedImage } from '../../../endpoints/images/inputs.ts'
import type { TempFiles } from '../../../calls/files/temp-files.ts'
import type { ImagesRequest } from '../../../endpoints/images/images.ts'
import { toTempFile } from '../../../calls/files/temp-file-writer.ts'
import { type Part, readField, readMultipart } from '../../forms/multipart.ts'
import { validationProblem } from '../../problems.ts'
import { formBytes, discardForm } from '../../forms/upload-form.ts'
import { MB } from '../../../base/units/units.ts'

const MAX_IMAGES = 16
/** Larger files have to be uploaded first. */
const MAX_FORM_BYTES = 50 * MB
/** Enough for the longest prompt in four-byte characters. */
const LIMITS = { maxParts: 100, maxFieldBytes: 4 * 32_000 }
const NUMBERS: ReadonlySet<string> = new Set(['n', 'partial_images'])
const IMAGE_FIELD = /^image(\[\d{0,2}\])?$/

const generation = validator(ImageGenerationRequest)

type Form = {
  fields: Record<string, unknown>
  images: InputImage[]
  mask: InputImage | undefined
  bytesLeft: number
  tempFiles: TempFiles
}

/**
 * Parts may come in any order. Large parts are held in temp files, so a form that is refused in the middle leaves nothing
 * behind.
 */
export async function readEditForm(
  request: FastifyRequest,
  maxBytes: number,
  tempFiles: TempFiles,
): Promise<ImagesRequest> {
  const bytesLeft = Math.min(maxBytes, MAX_FORM_BYTES)
  const form: Form = { fields: {}, images: [], mask: undefined, bytesLeft, tempFiles }
  try {
    const source = formBytes(request)
    for await (const part of readMultipart(String(request.headers['content-type']), source, LIMITS))
      await readPart(part, form)
    const { deployment: model } = request
    if (model !== undefined) form.fields.model = model
    return toEditRequest(form)
  } catch (error) {
    throw discardForm(request, error)
  }
}

async function readPart(part: Part, form: Form): Promise<void> {
  if (IMAGE_FIELD.test(part.name)) {
    if (form.images.length === MAX_IMAGES) throw refused(tooMany())
    form.images.push({ image: await readFile(part, form), loc: ['body', 'image', form.images.length] })
  } else if (part.name === 'mask') {
    if (form.mask) throw refused({ loc: ['body', 'mask'], msg: 'Only one mask may be sent', type: 'value_error' })
    form.mask = { image: await readFile(part, form), loc: ['body', 'mask'] }
  } else addField(part.name, await readText(part), form)
}

async function readFile({ name, filename, bytes }: Part, form: Form): Promise<UploadedImage> {
  if (filename === undefined) throw refused({ loc: ['body', name], msg: 'Input should be a file', type: 'value_error' })
  return await toTempFile(bounded(bytes, form), form.tempFiles)
}

async function* bounded(bytes: AsyncIterable<Uint8Array>, form: Form): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    form.bytesLeft -= chunk.length
    if (form.bytesLeft < 0)
      throw problem('too_large', {
        message: 'The images of this form are too large together. Upload them, and send their ids.',
      })
    yield chunk
  }
}

async function readText(part: Part): Promise<string> {
  if (part.filename === undefined) return await readField(part)
  throw refused({ loc: ['body', part.name], msg: 'Only image and mask may be files', type: 'value_error' })
}

/** `name[]` is a list, even of one value. Any other repeated field would be ambiguous. */
function addField(name: string, text: string, { fields }: Form): void {
  const isList = name.endsWith('[]')
  const key = isList ? name.slice(0, -2) : name
  const existing = Object.hasOwn(fields, key) ? fields[key] : undefined
  if (key === '__proto__' || (existing !== undefined && !(isList && Array.isArray(existing))))
    throw refused({ loc: ['body', name], msg: 'This field may be sent only once', type: 'value_error' })
  if (isList) fields[key] = [...((existing as string[] | undefined) ?? []), text]
  else fields[key] = fieldValue(key, text)
}

/** A form has only texts. The schema refuses what cannot be read as the type of its field. */
function fieldValue(key: string, text: string): unknown {
  if (NUMBERS.has(key) && /^\d{1,6}$/.test(text)) return Number(text)
  if (key === 'stream' && (text === 'true' || text === 'false')) return text === 'true'
  return key === 'image_config' ? (tryParse(text) ?? text) : text
}

function toEditRequest({ fields, images, mask, tempFiles }: Form): ImagesRequest {
  const missing: ValidationIssue[] =
    images.length > 0 ? [] : [{ loc: ['body', 'image'], msg: 'Field required', type: 'missing' }]
  const spelling = spellingIssues(fields)
  if (!generation.check(fields) || missing.length + spelling.length > 0)
    throw validationProblem([...generation.issues(fields, ['body']), ...missing, ...spelling])
  return { mode: 'edit', request: fields, images, mask, tempFiles }
}

function tooMany(): ValidationIssue {
  const msg = `List should have at most ${MAX_IMAGES} items after validation, not ${MAX_IMAGES + 1}`
  return { loc: ['body', 'image'], msg, type: 'too_long' }
}

function refused(issue: ValidationIssue) {
  return validationProblem([issue])
}
