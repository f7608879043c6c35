import type { FastifyReply, FastifyRequest } from 'fastify'
import { DeletedFiles, DeleteFilesRequest } from '../../../contract/files.ts'
import { deleteUploads } from '../../../files/files.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import type { HttpServices, Route } from '../../services.ts'

export default {
  method: 'POST',
  path: '/v3/upload/delete',
  access: 'key',
  scope: 'files',
  summary: 'Delete some of your files',
  description: 'Ids that do not exist or belong to others are ignored.',
  body: DeleteFilesRequest,
  replies: { 200: { description: 'How many.', schema: DeletedFiles } },
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { file_ids } = (request.body as JsonBody).value as DeleteFilesRequest
    return { deleted_count: await deleteUploads(file_ids, request.caller.owner, context.files) }
  },
} satisfies Route
