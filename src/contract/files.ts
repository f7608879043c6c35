import Type, { type Static } from '../base/schema/type.ts'
import { freeObject, moment, nullable, optional, timestamp, uuid } from '../base/schema/fields.ts'
import { paged } from './paging.ts'

export const UploadedFile = Type.Object(
  {
    file_id: uuid('Use it wherever a `file_id` or a file is expected.'),
    file_name: Type.String({ description: 'Its name, without folders.' }),
    file_size: Type.Integer({ minimum: 0, description: 'The size in bytes.' }),
    file_mimetype: Type.String({ description: 'The media type, detected from the content.' }),
    purpose: Type.String({ description: 'The purpose that you named.' }),
    metadata: Type.Optional(freeObject({ description: 'Facts about the content, such as the number of pages.' })),
    created_at: timestamp('When it was uploaded.'),
    expires_at: optional(moment, 'When it will be deleted.'),
  },
  { title: 'UploadedFile', description: 'A file that was uploaded.' },
)
export type UploadedFile = Static<typeof UploadedFile>

export const FileList = paged(UploadedFile, 'FileList', "The caller's files that have not expired.")
export type FileList = Static<typeof FileList>

export const DeleteFilesRequest = Type.Object(
  {
    file_ids: Type.Array(uuid('Id of a file.'), {
      minItems: 1,
      maxItems: 100,
      description: 'The files to delete. Ids that do not exist are ignored.',
    }),
  },
  { title: 'DeleteFilesRequest', description: 'Files to delete.' },
)
export type DeleteFilesRequest = Static<typeof DeleteFilesRequest>

export const DeletedFiles = Type.Object(
  { deleted_count: Type.Integer({ minimum: 0, description: 'The number of deleted files.' }) },
  { title: 'DeletedFiles', description: 'The result of the deletion.' },
)
export type DeletedFiles = Static<typeof DeletedFiles>

export const OpenAIFile = Type.Object(
  {
    id: uuid('Use it wherever a `file_id` or a file is expected.'),
    object: Type.Literal('file'),
    bytes: Type.Integer({ minimum: 0, description: 'The size in bytes.' }),
    created_at: Type.Integer({ description: 'When it was uploaded, in seconds since 1970.' }),
    expires_at: nullable(Type.Integer(), 'When it will be deleted, in seconds since 1970.'),
    filename: Type.String({ description: 'Its name, without folders.' }),
    purpose: Type.String({ description: 'The purpose that you named.' }),
    status: Type.Literal('processed'),
    status_details: nullable(Type.String(), 'Always null.'),
    mimetype: Type.String({ description: 'The media type, detected from the content.' }),
    source: Type.Literal('upload'),
    sample_type: Type.Literal('none'),
    num_lines: nullable(Type.Integer(), 'Always null.'),
    deleted: Type.Literal(false),
  },
  { title: 'OpenAIFile', description: 'An uploaded file, as clients of OpenAI and Mistral know it.' },
)
export type OpenAIFile = Static<typeof OpenAIFile>

export const OpenAIFileList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(OpenAIFile, { description: 'The files.' }),
    total: Type.Integer({ minimum: 0, description: 'The number of files on this page.' }),
    has_more: Type.Boolean({ description: 'Whether there is a next page.' }),
    first_id: nullable(Type.String(), 'The first id of this page.'),
    last_id: nullable(Type.String(), 'The last id of this page: send it as `after`.'),
  },
  { title: 'OpenAIFileList', description: 'A page of files.' },
)

export const DeletedOpenAIFile = Type.Object(
  {
    id: uuid('The id of the file.'),
    object: Type.Literal('file'),
    deleted: Type.Boolean({ description: 'True.' }),
  },
  { title: 'DeletedOpenAIFile', description: 'A file that is gone.' },
)
