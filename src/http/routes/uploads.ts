import { ErrorBody } from '../../contract/errors.ts'
import { CompleteUploadRequest, CreateUploadRequest, PartUpload, UploadPart } from '../../contract/files.ts'
import { discardBytes, receiveBytes, toOpenAIFile } from '../../calls/files/files.ts'
import * as uploads from '../../calls/files/part-uploads.ts'
import { withDashes, withoutDashes } from '../../base/schema/resource-id.ts'
import { DAY_SECONDS, SECOND_MS } from '../../base/units/units.ts'
import { UploadPartForm } from '../forms/upload-form-schema.ts'
import { readUploadForm } from '../forms/upload-form.ts'
import { route } from '../define-route.ts'

const DEFAULT_SECONDS = 30 * DAY_SECONDS
const path = '/v3/uploads/{upload_id}'
const common = { method: 'POST', access: 'key', scope: 'files', stores: true, noSuch: 'upload' } as const
const refusal = { 400: { description: 'The parts do not match the file, or the upload has ended.', schema: ErrorBody } }

export const create = route({
  ...common,
  path: '/v3/uploads',
  summary: 'Create an upload in parts (OpenAI)',
  description: 'The upload expires after an hour. Its parts count towards the quota of files.',
  body: CreateUploadRequest,
  replies: {
    200: { description: 'The upload.', schema: PartUpload },
    409: { description: 'There are too many uploads in parts.', schema: ErrorBody },
    413: { description: 'The file would be too large, or the quota is used up.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const { filename: name, purpose, bytes, mime_type: type, expires_after } = request.body.value
    const lifetimeMs = (expires_after?.seconds ?? DEFAULT_SECONDS) * SECOND_MS
    const wanted = { name, purpose, bytes, type, lifetimeMs }
    return shown(await uploads.openUpload(wanted, request.caller, services.calls.files), 'pending')
  },
})

export const addPart = route({
  ...common,
  path: `${path}/parts`,
  multipart: true,
  summary: 'Add a part to an upload (OpenAI)',
  form: UploadPartForm,
  replies: { 200: { description: 'The part.', schema: UploadPart }, ...refusal },
  handle: async (request, _reply, services) => {
    const { files } = services.calls
    const upload = await uploads.findUpload(uuidIn(request.params.upload_id), request.caller.owner, files)
    const { stored } = await readUploadForm(
      request,
      (bytes) => receiveBytes(bytes, upload.owner, files),
      (bytes) => discardBytes(bytes, files),
      { fileField: 'data' },
    )
    const { id, createdAt } = await uploads.addPart(stored, upload, files)
    const upload_id = request.params.upload_id
    return { id: idOf('part', id), object: 'upload.part' as const, upload_id, created_at: seconds(createdAt) }
  },
})

export const complete = route({
  ...common,
  path: `${path}/complete`,
  summary: 'Complete an upload (OpenAI)',
  description: 'A repeated request returns the same file.',
  body: CompleteUploadRequest,
  replies: { 200: { description: 'The upload with its file.', schema: PartUpload }, ...refusal },
  handle: async (request, _reply, services) => {
    const { files } = services.calls
    const { part_ids, md5 } = request.body.value
    const upload = await uploads.findUpload(uuidIn(request.params.upload_id), request.caller.owner, files)
    const file = await uploads.complete(upload, { parts: part_ids.map(uuidIn), md5: md5 ?? undefined }, files)
    return shown(upload, 'completed', toOpenAIFile(file))
  },
})

export const cancel = route({
  ...common,
  path: `${path}/cancel`,
  summary: 'Cancel an upload (OpenAI)',
  description: 'Its parts are deleted.',
  replies: { 200: { description: 'The upload.', schema: PartUpload }, ...refusal },
  handle: async (request, _reply, services) => {
    const { files } = services.calls
    const upload = await uploads.findUpload(uuidIn(request.params.upload_id), request.caller.owner, files)
    await uploads.cancel(upload, files)
    return shown(upload, 'cancelled')
  },
})

function shown(upload: uploads.OpenUpload, status: PartUpload['status'], file: PartUpload['file'] = null): PartUpload {
  const { id, name: filename, purpose, plan, createdAt, expiresAt } = upload
  const times = { created_at: seconds(createdAt), expires_at: seconds(expiresAt) }
  return { id: idOf('upload', id), object: 'upload', bytes: plan.bytes, filename, purpose, status, ...times, file }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}

/** OpenAI's ids begin with a word, and have no dashes. */
function idOf(kind: 'upload' | 'part', id: string): string {
  return `${kind}_${withoutDashes(id)}`
}

function uuidIn(id: string): string {
  return withDashes(id.replace(/^[a-z]+_/, ''))
}
