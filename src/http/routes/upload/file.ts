import { UploadedFile } from '../../../contract/files.ts'
import { BYTES, FILE_TYPES } from '../../../base/schema/fields.ts'
import { getUpload, toUploadedFile } from '../../../calls/files/files.ts'
import { sendFile } from '../../send-file.ts'
import { route } from '../../define-route.ts'

export const file = route({
  method: 'GET',
  path: '/v3/upload/{file_id}',
  access: 'key',
  scope: 'files',
  summary: 'Get a file',
  replies: { 200: { description: 'The file, without its bytes.', schema: UploadedFile } },
  handle: async (request, _reply, services) => {
    return toUploadedFile(await getUpload(request.params.file_id, request.caller.owner, services.calls.files))
  },
})

export const content = route({
  method: 'GET',
  path: '/v3/upload/{file_id}/content',
  access: 'key',
  scope: 'files',
  summary: 'Download a file',
  replies: { 200: { description: 'The bytes, always as an attachment.', contentType: FILE_TYPES, schema: BYTES } },
  handle: async (request, reply, services) => {
    return await sendFile(
      reply,
      await getUpload(request.params.file_id, request.caller.owner, services.calls.files),
      services.calls.files,
    )
  },
})
