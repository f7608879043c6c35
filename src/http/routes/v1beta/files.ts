import { GeminiError } from '../../../contract/gemini/generate-content.ts'
import { DeletedGeminiFile, GeminiFile, GeminiFileList } from '../../../contract/gemini/files.ts'
import { withDashes, withoutDashes } from '../../../base/schema/resource-id.ts'
import { BYTES, FILE_TYPES } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { deleteUpload, getUpload, listUploadsAfter, toGeminiFile } from '../../../calls/files/files.ts'
import { ownUrl } from '../../edge/own-url.ts'
import { sendFile } from '../../send-file.ts'
import { route } from '../../define-route.ts'

const DEFAULT_FILES = 10
const MAX_FILES = 100
const path = '/v3/v1beta/files/{file}'
const common = { access: 'key', scope: 'files', errors: GeminiError } as const
const noFile = { 404: { description: 'There is no such file.', schema: GeminiError } }

export const list = route({
  ...common,
  method: 'GET',
  path: '/v3/v1beta/files',
  summary: 'List files (Google)',
  query: Type.Object({
    pageSize: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_FILES, default: DEFAULT_FILES, description: 'How many.' }),
    ),
    pageToken: Type.Optional(Type.String({ maxLength: 100, description: 'The `nextPageToken` of the previous page.' })),
  }),
  replies: { 200: { description: 'A page of files.', schema: GeminiFileList }, ...noFile },
  handle: async (request, _reply, services) => {
    const { pageSize: limit = DEFAULT_FILES, pageToken } = request.query
    const after = pageToken ? withDashes(pageToken) : undefined
    const query = { owner: request.caller.owner, limit, order: 'desc' as const }
    const found = await listUploadsAfter(after, query, services.calls.files)
    const base = ownUrl(request, services)
    const last = found.hasMore ? found.files.at(-1) : undefined
    return {
      files: found.files.map((file) => toGeminiFile(file, base)),
      ...(last && { nextPageToken: withoutDashes(last.id) }),
    }
  },
})

export const get = route({
  ...common,
  method: 'GET',
  path,
  summary: 'Get a file (Google)',
  replies: { 200: { description: 'The file, without its bytes.', schema: GeminiFile }, ...noFile },
  handle: async (request, _reply, services) => {
    const id = withDashes(request.params.file)
    return toGeminiFile(await getUpload(id, request.caller.owner, services.calls.files), ownUrl(request, services))
  },
})

export const download = route({
  ...common,
  method: 'GET',
  path: `${path}:download`,
  routedAs: '/v3/v1beta/download/:file',
  summary: 'The bytes of one of your files, for clients of Google',
  query: Type.Object({ alt: Type.Optional(Type.String({ maxLength: 20, description: '`media`.' })) }),
  replies: {
    200: { description: 'The bytes, always as an attachment.', contentType: FILE_TYPES, schema: BYTES },
    ...noFile,
  },
  handle: async (request, reply, services) => {
    const { files } = services.calls
    const id = withDashes(request.params.file.replace(/^files\//, ''))
    return await sendFile(reply, await getUpload(id, request.caller.owner, files), files)
  },
})

export const remove = route({
  ...common,
  method: 'DELETE',
  path,
  summary: 'Delete a file (Google)',
  replies: {
    200: { description: 'The file is deleted.', schema: DeletedGeminiFile },
    ...noFile,
    409: { description: 'The file is the input of a batch that has not ended.', schema: GeminiError },
  },
  handle: async (request, _reply, services) => {
    await deleteUpload(withDashes(request.params.file), request.caller.owner, services.calls.files)
    return {}
  },
})
