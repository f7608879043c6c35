import { ErrorBody } from '../../contract/errors.ts'
import { OpenAIFile, OpenAIFileList } from '../../contract/files.ts'
import { getUpload, listUploadsAfter, toOpenAIFile } from '../../calls/files/files.ts'
import { words } from '../../base/schema/fields.ts'
import Type from '../../base/schema/type.ts'
import { OpenAIUploadForm } from '../forms/upload-form-schema.ts'
import { receiveUpload } from '../forms/receive-upload.ts'
import { MAX_LIMIT } from '../query.ts'
import { route } from '../define-route.ts'

const MAX_PURPOSE_CHARS = 50

export const create = route({
  method: 'POST',
  path: '/v3/files',
  access: 'key',
  scope: 'files',
  stores: true,
  multipart: true,
  summary: 'Upload a file (OpenAI)',
  description: 'The same files as those of `/v3/upload`: chats and tasks accept their ids.',
  form: OpenAIUploadForm,
  replies: {
    200: { description: 'The file.', schema: OpenAIFile },
    413: { description: 'The file is too large, or the quota is used up.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const { file_id } = await receiveUpload(request, services.calls, { purpose: 'user_data' })
    return toOpenAIFile(await getUpload(file_id, request.caller.owner, services.calls.files))
  },
})

export const list = route({
  method: 'GET',
  path: '/v3/files',
  access: 'key',
  scope: 'files',
  summary: 'List files (OpenAI)',
  query: Type.Object({
    purpose: Type.Optional(Type.String({ maxLength: MAX_PURPOSE_CHARS, description: 'Only files with this purpose.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: 'Files on a page.' })),
    order: Type.Optional(words(['desc', 'asc'], { description: 'Newest or oldest first.' })),
    after: Type.Optional(Type.String({ maxLength: 100, description: 'The last id of the previous page.' })),
  }),
  replies: {
    200: { description: 'A page of files.', schema: OpenAIFileList },
    404: { description: 'There is no file with the id of `after`.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const { purpose, limit = MAX_LIMIT, order = 'desc', after } = request.query
    const query = { owner: request.caller.owner, purpose, limit, order }
    const { files, hasMore } = await listUploadsAfter(after, query, services.calls.files)
    const data = files.map(toOpenAIFile)
    const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
    return { object: 'list' as const, data, total: data.length, has_more: hasMore, ...ends }
  },
})
