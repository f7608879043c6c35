import Type, { type Static } from '../base/schema/type.ts'
import { freeObject, moment, nullable, optional, timestamp, uuid, words } from '../base/schema/fields.ts'
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

const text = (description: string) => Type.String({ minLength: 1, maxLength: 255, description })

export const CreateUploadRequest = Type.Object(
  {
    filename: text('The name of the file.'),
    purpose: Type.String({ minLength: 1, maxLength: 50, description: 'Your own word for its purpose.' }),
    bytes: Type.Integer({ minimum: 0, description: 'The size of the whole file.' }),
    mime_type: text('Its media type. The gateway detects the type from the bytes.'),
    expires_after: optional(
      Type.Object(
        { seconds: Type.Integer({ minimum: 1, maximum: 2_592_000, description: 'How long it is kept.' }) },
        { additionalProperties: true },
      ),
      'When the file will be deleted, counted from when it is complete.',
    ),
  },
  { title: 'CreateUploadRequest', description: 'A file that will arrive in parts.', additionalProperties: true },
)

export const CompleteUploadRequest = Type.Object(
  {
    part_ids: Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 1_000,
      description: 'The parts, in their order.',
    }),
    md5: optional(Type.String({ maxLength: 64 }), 'The MD5 checksum of the whole file, as hexadecimal digits.'),
  },
  { title: 'CompleteUploadRequest', description: 'The order of the parts.', additionalProperties: true },
)

export const PartUpload = Type.Object(
  {
    id: Type.String({ description: 'Identifies the upload.' }),
    object: Type.Literal('upload'),
    bytes: Type.Integer({ minimum: 0, description: 'The size of the whole file.' }),
    filename: Type.String({ description: 'The name of the file.' }),
    purpose: Type.String({ description: 'The purpose that you named.' }),
    status: words(['pending', 'completed', 'cancelled'], { description: 'The state of the upload.' }),
    created_at: Type.Integer({ description: 'When it began, in seconds since 1970.' }),
    expires_at: Type.Integer({ description: 'When what has arrived will be deleted, in seconds since 1970.' }),
    file: nullable(OpenAIFile, 'The file, when the upload is completed.'),
  },
  { title: 'PartUpload', description: 'A file that arrives in parts.' },
)
export type PartUpload = Static<typeof PartUpload>

export const UploadPart = Type.Object(
  {
    id: Type.String({ description: 'Name it when you complete the upload.' }),
    object: Type.Literal('upload.part'),
    upload_id: Type.String({ description: 'The upload that it belongs to.' }),
    created_at: Type.Integer({ description: 'When it arrived, in seconds since 1970.' }),
  },
  { title: 'UploadPart', description: 'A part of a file.' },
)

export const DeletedOpenAIFile = Type.Object(
  {
    id: uuid('The id of the file.'),
    object: Type.Literal('file'),
    deleted: Type.Boolean({ description: 'True.' }),
  },
  { title: 'DeletedOpenAIFile', description: 'A file that is gone.' },
)
