import Type, { type Static } from '../base/schema/type.ts'
import { nullable, timestamp } from '../base/schema/fields.ts'

export const AnthropicFile = Type.Object(
  {
    id: Type.String({ description: 'Use it wherever a `file_id` or a file is expected.' }),
    type: Type.Literal('file'),
    filename: Type.String({ description: 'Its name, without folders.' }),
    mime_type: Type.String({ description: 'The media type, detected from the content.' }),
    size_bytes: Type.Integer({ minimum: 0, description: 'The size in bytes.' }),
    created_at: timestamp('When it was uploaded.'),
    expires_at: timestamp('When it will be deleted.'),
    downloadable: Type.Boolean({ description: 'True.' }),
  },
  { title: 'AnthropicFile', description: 'An uploaded file, as clients of Anthropic know it.' },
)
export type AnthropicFile = Static<typeof AnthropicFile>

export const AnthropicFileList = Type.Object(
  {
    data: Type.Array(AnthropicFile, { description: 'The files, newest first.' }),
    has_more: Type.Boolean({ description: 'Whether there is a next page.' }),
    first_id: nullable(Type.String(), 'The first id of this page.'),
    last_id: nullable(Type.String(), 'The last id of this page: send it as `after_id`.'),
    next_page: nullable(Type.String(), 'Send it as `page` to get the next page. Null on the last page.'),
  },
  { title: 'AnthropicFileList', description: 'A page of files, as clients of Anthropic list them.' },
)

export const DeletedAnthropicFile = Type.Object(
  { id: Type.String({ description: 'The id of the file.' }), type: Type.Literal('file_deleted') },
  { title: 'DeletedAnthropicFile', description: 'A file that is gone.' },
)
