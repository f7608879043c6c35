import Type from '../../base/schema/type.ts'

/** The fields of the form, for the document only, because a form is read and checked part by part. */
export const UploadForm = Type.Object(
  {
    file: Type.String({ format: 'binary', description: 'The file.' }),
    purpose: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 50,
        default: 'general',
        description: 'Your own name for the purpose of the file.',
      }),
    ),
    expires_in_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 30, default: 30, description: 'When it will be deleted.' }),
    ),
    user: Type.Optional(
      Type.String({ maxLength: 256, description: 'Your own identifier of the person whom the file is about.' }),
    ),
  },
  { title: 'UploadForm', description: 'A file to upload.' },
)

export const AnthropicUploadForm = Type.Object(
  {
    file: Type.String({ format: 'binary', description: 'The file.' }),
    expires_in_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_592_000, description: 'When it will be deleted.' }),
    ),
  },
  { title: 'AnthropicUploadForm', description: 'A file to upload, as clients of Anthropic send it.' },
)

export const UploadPartForm = Type.Object(
  { data: Type.String({ format: 'binary', description: 'The bytes of the part.' }) },
  { title: 'UploadPartForm', description: 'A part of a file.' },
)

export const OpenAIUploadForm = Type.Object(
  {
    file: Type.String({ format: 'binary', description: 'The file.' }),
    purpose: Type.Optional(
      Type.String({ minLength: 1, maxLength: 50, description: 'Your own name for the purpose of the file.' }),
    ),
    'expires_after[seconds]': Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_592_000, description: 'When it will be deleted.' }),
    ),
    user: Type.Optional(
      Type.String({ maxLength: 256, description: 'Your own identifier of the person whom the file is about.' }),
    ),
  },
  { title: 'OpenAIUploadForm', description: 'A file to upload, as clients of OpenAI send it.' },
)
