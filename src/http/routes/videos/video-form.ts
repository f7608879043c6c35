import { DAY_MS } from '../../../base/units/units.ts'
import type { FastifyRequest } from 'fastify'
import Type from '../../../base/schema/type.ts'
import { validator } from '../../../base/schema/validator.ts'
import { deleteUploads, discardBytes, fileUpload, receiveBytes } from '../../../calls/files/files.ts'
import type { CallServices } from '../../../calls/services/call-services.ts'
import { VideoRequest } from '../../../contract/videos.ts'
import { tryParse } from '../../../translation/json/try-parse.ts'
import { type Part, readField, readMultipart } from '../../forms/multipart.ts'
import { discardForm, formBytes } from '../../forms/upload-form.ts'
import { validationProblem } from '../../problems.ts'

/** Enough for the longest prompt in four-byte characters. */
const LIMITS = { maxParts: 50, maxFieldBytes: 4 * 32_000 }
const IMAGE = 'input_reference'
const LIFETIME_MS = 30 * DAY_MS
const JSON_FIELDS: ReadonlySet<string> = new Set(['provider_params', 'user_webhook_parameters', 'metadata'])

const checked = validator(VideoRequest)
const { input_reference: _, ...fields } = VideoRequest.properties

/** The fields of a form, for /docs only, because a form is read and checked part by part. */
export const VideoForm = Type.Object(
  {
    ...fields,
    [IMAGE]: Type.Optional(Type.String({ format: 'binary', description: 'The first image of the video.' })),
  },
  {
    title: 'VideoForm',
    description: 'A video to make, as a form. Fields not listed here are ignored.',
    additionalProperties: true,
  },
)

/**
 * A form with or without an image, which becomes an upload of the caller: the job reads it when it runs. `text`: the same for the same
 * form, although its image is uploaded again.
 */
type ReadForm = { body: VideoRequest; text: string; image: string | undefined; drop(): Promise<void> }

export async function readVideoForm(request: FastifyRequest, { files }: CallServices): Promise<ReadForm> {
  const { caller } = request
  const body: Record<string, unknown> = {}
  const stored: string[] = []
  let digest: string | undefined
  const drop = async () => {
    if (stored.length > 0) await deleteUploads(stored, caller.owner, files)
  }
  try {
    const source = formBytes(request)
    for await (const part of readMultipart(String(request.headers['content-type']), source, LIMITS))
      if (part.name === IMAGE && part.filename !== undefined) body[IMAGE] = { file_id: await keep(part) }
      else addField(part.name, await readField(part), body)
    if (!checked.check(body)) throw validationProblem(checked.issues(body, ['body']))
    const text = JSON.stringify(digest === undefined ? body : { ...body, [IMAGE]: { digest } })
    return { body, text, image: stored[0], drop }
  } catch (error) {
    await drop()
    throw discardForm(request, error)
  }

  async function keep(part: Part): Promise<string> {
    if (stored.length > 0)
      throw validationProblem([{ loc: ['body', IMAGE], msg: 'Only one image may be sent', type: 'value_error' }])
    const bytes = await receiveBytes(part.bytes, caller.owner, files)
    const settings = { name: part.filename ?? 'image', purpose: 'user_data', lifetimeMs: LIFETIME_MS, endUser: null }
    try {
      const { file_id } = await fileUpload(bytes, settings, caller, files)
      stored.push(file_id)
      digest = bytes.sha256
      return file_id
    } catch (error) {
      await discardBytes(bytes, files)
      throw error
    }
  }
}

/** `input_reference[file_id]` is a member of an object, as clients write it into a form. */
function addField(name: string, text: string, body: Record<string, unknown>): void {
  const [, member] = /^input_reference\[(file_id|image_url)\]$/.exec(name) ?? []
  if (member) body[IMAGE] = { ...(body[IMAGE] as object | undefined), [member]: text }
  else if (Object.hasOwn(fields, name) && name !== IMAGE) body[name] = fieldValue(name, text)
}

/** A form has only texts. The schema refuses what cannot be read as the type of its field. */
function fieldValue(name: string, text: string): unknown {
  if (name === 'seed' && /^\d{1,10}$/.test(text)) return Number(text)
  return JSON_FIELDS.has(name) ? (tryParse(text) ?? text) : text
}
