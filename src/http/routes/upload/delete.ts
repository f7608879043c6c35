import { DeletedFiles, DeleteFilesRequest } from '../../../contract/files.ts'
import { deleteUploads } from '../../../calls/files/files.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { route } from '../../define-route.ts'

export default route({
  method: 'POST',
  path: '/v3/upload/delete',
  access: 'key',
  scope: 'files',
  summary: 'Delete some files',
  description:
    'Ids that do not exist or belong to others are ignored. If one is the input of a batch that has not ended, none is deleted (409).',
  body: DeleteFilesRequest,
  replies: {
    200: { description: 'How many.', schema: DeletedFiles },
    409: { description: 'The file is the input of a batch that has not ended.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const { file_ids } = request.body.value
    return { deleted_count: await deleteUploads(file_ids, request.caller.owner, services.calls.files) }
  },
})
