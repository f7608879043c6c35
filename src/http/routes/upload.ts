import Type from '../../base/schema/type.ts'
import { ErrorBody } from '../../contract/errors.ts'
import { DeletedFiles, FileList, UploadedFile } from '../../contract/files.ts'
import { deleteUploads, listUploads } from '../../calls/files/files.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, PAGE } from '../query.ts'
import { route } from '../define-route.ts'
import { UploadForm } from '../forms/upload-form-schema.ts'
import { receiveUpload } from '../forms/receive-upload.ts'

const MAX_PURPOSE_CHARS = 50

export const upload = route({
  method: 'POST',
  path: '/v3/upload',
  access: 'key',
  scope: 'files',
  stores: true,
  multipart: true,
  summary: 'Upload a file',
  description:
    'A multipart form whose parts may come in any order. The type of the file is detected from the bytes, not taken from the form.',
  form: UploadForm,
  replies: {
    200: { description: 'The file.', schema: UploadedFile },
    413: { description: 'The file is too large, or the quota is used up.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    return await receiveUpload(request, services.calls)
  },
})

export const list = route({
  method: 'GET',
  path: '/v3/upload',
  access: 'key',
  scope: 'files',
  summary: 'List files',
  description: 'Your files, newest first.',
  query: Type.Object({
    purpose: Type.Optional(Type.String({ maxLength: MAX_PURPOSE_CHARS, description: 'Only files with this purpose.' })),
    page: Type.Optional(PAGE),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'Files on a page.' }),
    ),
  }),
  replies: { 200: { description: 'A page of files.', schema: FileList } },
  handle: (request, _reply, services) => {
    const { purpose, page = 1, limit = DEFAULT_LIMIT } = request.query
    return listUploads({ owner: request.caller.owner, purpose, page, limit }, services.calls.files)
  },
})

export const removeAll = route({
  method: 'DELETE',
  path: '/v3/upload',
  access: 'key',
  scope: 'files',
  summary: 'Delete all files',
  description: 'All your files, but for those that are the input of a batch that has not ended.',
  replies: { 200: { description: 'How many.', schema: DeletedFiles } },
  handle: async (request, _reply, services) => {
    return { deleted_count: await deleteUploads('all', request.caller.owner, services.calls.files) }
  },
})
