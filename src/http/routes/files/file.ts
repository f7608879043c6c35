import type { FastifyRequest } from 'fastify'
import { DeletedOpenAIFile, OpenAIFile } from '../../../contract/files.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { deleteUpload, getUpload, toOpenAIFile } from '../../../calls/files/files.ts'
import { BYTES, FILE_TYPES } from '../../../base/schema/fields.ts'
import { sendFile } from '../../send-file.ts'
import { route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'

const common = { access: 'key' as const, scope: 'files' as const, noSuch: 'file' }

export const get = route({
  ...common,
  method: 'GET',
  path: '/v3/files/{file_id}',
  summary: 'Get a file (OpenAI)',
  replies: { 200: { description: 'The file, without its bytes.', schema: OpenAIFile } },
  handle: async (request, _reply, services) => {
    return toOpenAIFile(await fileOf(request, services))
  },
})

export const content = route({
  ...common,
  method: 'GET',
  path: '/v3/files/{file_id}/content',
  summary: 'Download a file (OpenAI)',
  replies: { 200: { description: 'The bytes, always as an attachment.', contentType: FILE_TYPES, schema: BYTES } },
  handle: async (request, reply, services) => {
    return await sendFile(reply, await fileOf(request, services), services.calls.files)
  },
})

export const remove = route({
  ...common,
  method: 'DELETE',
  path: '/v3/files/{file_id}',
  summary: 'Delete a file (OpenAI)',
  replies: {
    200: { description: 'The file is deleted.', schema: DeletedOpenAIFile },
    409: { description: 'The file is the input of a batch that has not ended.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const id = request.params.file_id
    await deleteUpload(id, request.caller.owner, services.calls.files)
    return { id, object: 'file' as const, deleted: true }
  },
})

function fileOf(request: FastifyRequest<{ Params: { file_id: string } }>, services: HttpServices) {
  return getUpload(request.params.file_id, request.caller.owner, services.calls.files)
}
