import type { FastifyReply, FastifyRequest } from 'fastify'
import { UploadedFile } from '../../../contract/files.ts'
import { BYTES, FILE_TYPES } from '../../../schema/fields.ts'
import { getUpload, toUploadedFile } from '../../../files/files.ts'
import { sendFile } from '../../send-file.ts'
import type { HttpServices, Route } from '../../services.ts'

export const file: Route = {
  method: 'GET',
  path: '/v3/upload/{file_id}',
  access: 'key',
  scope: 'files',
  summary: 'One of your files',
  replies: { 200: { description: 'The file, without its bytes.', schema: UploadedFile } },
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    return toUploadedFile(await getUpload(idOf(request), request.caller.owner, context.files))
  },
}

export const content: Route = {
  method: 'GET',
  path: '/v3/upload/{file_id}/content',
  access: 'key',
  scope: 'files',
  summary: 'The bytes of one of your files',
  replies: { 200: { description: 'The bytes, always as an attachment.', contentType: FILE_TYPES, schema: BYTES } },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    return await sendFile(reply, await getUpload(idOf(request), request.caller.owner, context.files), context.files)
  },
}

function idOf(request: FastifyRequest): string {
  return (request.params as { file_id: string }).file_id
}
