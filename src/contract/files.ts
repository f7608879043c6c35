import Type, { type Static } from '../schema/type.ts'
import { freeObject, optional, timestamp, uuid } from '../schema/fields.ts'
import { paged } from './paging.ts'

export const UploadedFile = Type.Object(
  {
    file_id: uuid('Stands for the file wherever a `file_id` or a file is asked for.'),
    file_name: Type.String({ description: 'Its name.' }),
    file_size: Type.Integer({ minimum: 0, description: 'Its size in bytes.' }),
    file_mimetype: Type.String({ description: 'What it is, judged by its content.' }),
    purpose: Type.String({ description: 'What you said it is for.' }),
    metadata: Type.Optional(freeObject({ description: 'What was found in it, such as a number of pages.' })),
    created_at: timestamp('When it was uploaded.'),
    expires_at: optional(Type.String({ format: 'date-time' }), 'When it will be deleted.'),
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
      description: 'Which files to delete. Those that do not exist are passed over.',
    }),
  },
  { title: 'DeleteFilesRequest', description: 'Files to delete.' },
)
export type DeleteFilesRequest = Static<typeof DeleteFilesRequest>

export const DeletedFiles = Type.Object(
  { deleted_count: Type.Integer({ minimum: 0, description: 'How many files are gone.' }) },
  { title: 'DeletedFiles', description: 'What was deleted.' },
)
export type DeletedFiles = Static<typeof DeletedFiles>
