import Type, { type Static } from '../../base/schema/type.ts'
import { freeObject, open, optional, timestamp } from '../../base/schema/fields.ts'

export const GeminiFile = Type.Object(
  {
    name: Type.String({ description: '`files/` and the id of the file.' }),
    displayName: Type.String({ description: 'Its name, without folders.' }),
    mimeType: Type.String({ description: 'The media type, detected from the content.' }),
    sizeBytes: Type.String({ description: 'The size in bytes, as a text.' }),
    createTime: timestamp('When it was uploaded.'),
    updateTime: timestamp('The same as `createTime`: files do not change.'),
    expirationTime: timestamp('When it will be deleted.'),
    sha256Hash: Type.Optional(Type.String({ description: 'The SHA-256 checksum of the bytes, in base64.' })),
    uri: Type.String({ description: 'Send it as `fileData.fileUri`.' }),
    state: Type.Literal('ACTIVE'),
    source: Type.Literal('UPLOADED'),
  },
  { title: 'GeminiFile', description: 'An uploaded file, as clients of Google know it.' },
)
export type GeminiFile = Static<typeof GeminiFile>

export const GeminiFileList = Type.Object(
  {
    files: Type.Array(GeminiFile, { description: 'The files, newest first.' }),
    nextPageToken: Type.Optional(Type.String({ description: 'Send it as `pageToken` to get the next page.' })),
  },
  { title: 'GeminiFileList', description: 'A page of files, as clients of Google list them.' },
)

export const GeminiUploadRequest = Type.Object(
  { file: optional(freeObject(), 'What is known of the file: `displayName` is used, `name` is refused.') },
  { title: 'GeminiUploadRequest', description: 'A file that will be uploaded.', ...open },
)
export type GeminiUploadRequest = Static<typeof GeminiUploadRequest>

export const GeminiUpload = Type.Object(
  { file: Type.Optional(GeminiFile) },
  { title: 'GeminiUpload', description: 'The file, when all of it has arrived.' },
)

export const DeletedGeminiFile = Type.Object(
  {},
  { title: 'DeletedGeminiFile', description: 'A file that is gone: an empty object.' },
)
