import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../schema/type.ts'
import { ErrorBody } from '../../contract/errors.ts'
import { DeletedFiles, FileList, UploadedFile } from '../../contract/files.ts'
import { deleteUploads, listUploads } from '../../files/files.ts'
import { PAGE, readLimit, readPage, readText } from '../query.ts'
import type { HttpServices, Route } from '../services.ts'
import { UploadForm } from '../forms/upload-form-schema.ts'
import { receiveUpload } from '../forms/receive-upload.ts'

const MAX_PURPOSE_CHARS = 50

export const upload: Route = {
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
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    return await receiveUpload(request, context)
  },
}

export const list: Route = {
  method: 'GET',
  path: '/v3/upload',
  access: 'key',
  scope: 'files',
  summary: 'Your files, newest first',
  query: Type.Object({
    purpose: Type.Optional(Type.String({ maxLength: MAX_PURPOSE_CHARS, description: 'Only files with this purpose.' })),
    page: Type.Optional(PAGE),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Files on a page.' })),
  }),
  replies: { 200: { description: 'A page of files.', schema: FileList } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { purpose, page, limit } = request.query as Record<string, string | undefined>
    const query = {
      purpose: readText('purpose', purpose, MAX_PURPOSE_CHARS),
      page: readPage(page),
      limit: readLimit(limit),
    }
    return listUploads({ owner: request.caller.owner, ...query }, context.files)
  },
}

export const removeAll: Route = {
  method: 'DELETE',
  path: '/v3/upload',
  access: 'key',
  scope: 'files',
  summary: 'Delete all your files',
  replies: { 200: { description: 'How many.', schema: DeletedFiles } },
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    return { deleted_count: await deleteUploads('all', request.caller.owner, context.files) }
  },
}
