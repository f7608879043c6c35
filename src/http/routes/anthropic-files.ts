import { AnthropicFile, AnthropicFileList } from '../../contract/anthropic-files.ts'
import { ErrorBody } from '../../contract/errors.ts'
import { findUploads, getUpload, listUploadsAfter, toAnthropicFile } from '../../calls/files/files.ts'
import Type from '../../base/schema/type.ts'
import { AnthropicUploadForm } from '../forms/upload-form-schema.ts'
import { receiveUpload } from '../forms/receive-upload.ts'
import { MAX_LIMIT } from '../query.ts'
import { route } from '../define-route.ts'

const DEFAULT_FILES = 20
const MAX_IDS = 100
/** Before the id of the last file of a page. */
const PAGE = 'page_'

const common = { path: '/v3/anthropic-files', access: 'key', scope: 'files' } as const

export const create = route({
  ...common,
  method: 'POST',
  stores: true,
  multipart: true,
  summary: 'Upload a file (Anthropic)',
  description: 'The same files as those of `/v3/upload`. Requests with `anthropic-version` to `/v1/files` arrive here.',
  form: AnthropicUploadForm,
  replies: {
    200: { description: 'The file.', schema: AnthropicFile },
    413: { description: 'The file is too large, or the quota is used up.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const { file_id } = await receiveUpload(request, services.calls, { purpose: 'user_data' })
    return toAnthropicFile(await getUpload(file_id, request.caller.owner, services.calls.files))
  },
})

const id = Type.String({ maxLength: 100 })

export const list = route({
  ...common,
  method: 'GET',
  summary: 'List files (Anthropic)',
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: 'Files on a page. Default: 20.' }),
    ),
    page: Type.Optional(Type.String({ maxLength: 100, description: 'The `next_page` of the previous page.' })),
    after_id: Type.Optional(Type.String({ maxLength: 100, description: 'The last id of the previous page.' })),
    before_id: Type.Optional(Type.String({ maxLength: 100, description: 'The first id of the next page.' })),
    ids: Type.Optional(
      Type.Array(id, { maxItems: MAX_IDS, description: 'Only these files; those that do not exist are left out.' }),
    ),
  }),
  replies: {
    200: { description: 'A page of files.', schema: AnthropicFileList },
    404: { description: 'There is no file with the id of `after_id`, `before_id` or `page`.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    const { limit = DEFAULT_FILES, page, before_id, after_id = idIn(page), ids } = request.query
    const { owner } = request.caller
    const { files } = services.calls
    if (ids) return pageOf(await findUploads(ids, owner, files), false)
    if (before_id === undefined) {
      const found = await listUploadsAfter(after_id, { owner, limit, order: 'desc' }, files)
      return pageOf(found.files, found.hasMore)
    }
    const found = await listUploadsAfter(before_id, { owner, limit, order: 'asc' }, files)
    return pageOf(found.files.toReversed(), found.hasMore)
  },
})

function idIn(page: string | undefined): string | undefined {
  return page?.startsWith(PAGE) ? page.slice(PAGE.length) : page
}

function pageOf(files: Parameters<typeof toAnthropicFile>[0][], hasMore: boolean) {
  const data = files.map(toAnthropicFile)
  const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null]
  return { data, has_more: hasMore, first_id, last_id, next_page: hasMore ? `${PAGE}${last_id}` : null }
}
