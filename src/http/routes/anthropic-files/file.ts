import { AnthropicFile, DeletedAnthropicFile } from '../../../contract/anthropic-files.ts'
import { MessagesError } from '../../../contract/messages.ts'
import { deleteUpload, getUpload, toAnthropicFile } from '../../../calls/files/files.ts'
import { BYTES, FILE_TYPES } from '../../../base/schema/fields.ts'
import { sendFile } from '../../send-file.ts'
import { route } from '../../define-route.ts'

const path = '/v3/anthropic-files/{file_id}'
const common = { access: 'key', scope: 'files', noSuch: 'file' } as const

export const get = route({
  ...common,
  path,
  method: 'GET',
  summary: 'Get a file (Anthropic)',
  replies: { 200: { description: 'The file, without its bytes.', schema: AnthropicFile } },
  handle: async (request, _reply, services) =>
    toAnthropicFile(await getUpload(request.params.file_id, request.caller.owner, services.calls.files)),
})

export const content = route({
  ...common,
  path: `${path}/content`,
  method: 'GET',
  summary: 'Download a file (Anthropic)',
  replies: { 200: { description: 'The bytes, always as an attachment.', contentType: FILE_TYPES, schema: BYTES } },
  handle: async (request, reply, services) => {
    const { files } = services.calls
    return await sendFile(reply, await getUpload(request.params.file_id, request.caller.owner, files), files)
  },
})

export const remove = route({
  ...common,
  path,
  method: 'DELETE',
  summary: 'Delete a file (Anthropic)',
  replies: {
    200: { description: 'The file is deleted.', schema: DeletedAnthropicFile },
    409: { description: 'The file is the input of a batch that has not ended.', schema: MessagesError },
  },
  handle: async (request, _reply, services) => {
    const id = request.params.file_id
    await deleteUpload(id, request.caller.owner, services.calls.files)
    return { id, type: 'file_deleted' as const }
  },
})
