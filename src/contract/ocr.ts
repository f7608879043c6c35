import Type, { type Static } from '../base/schema/type.ts'
import { freeObject, nullable, open, optional, words } from '../base/schema/fields.ts'
import { TaskModels } from './task-models.ts'

const ImageUrl = Type.Union(
  [
    Type.String({ minLength: 1 }),
    Type.Object(
      { url: Type.String({ minLength: 1, description: 'The URL of the image.' }) },
      { title: 'OcrImageUrl', additionalProperties: true },
    ),
  ],
  { description: 'An http(s) URL, a data URL, or an object with one of them as `url`.' },
)

const document = Type.Object(
  {
    type: words(['document_url', 'image_url', 'file'], {
      description: 'Which of the other members has the document.',
    }),
    document_url: Type.Optional(Type.String({ minLength: 1, description: 'An http(s) URL or a data URL.' })),
    image_url: Type.Optional(ImageUrl),
    file_id: Type.Optional(Type.String({ description: 'The id of an uploaded file.' })),
    document_name: optional(Type.String(), 'A name of your own. It is not passed on.'),
  },
  { title: 'OcrDocument', description: 'The document to read.', additionalProperties: false },
)

export const OcrRequest = Type.Object(
  {
    model: Type.String({
      description:
        'The provider that reads, such as `local`, or one of its models: `mistral/mistral-ocr-latest`. GET /v3/ocr/models lists them.',
      examples: ['local'],
    }),
    document,
    pages: optional(
      Type.Union([Type.Array(Type.Integer({ minimum: 0 }), { maxItems: 2_000 }), Type.String({ maxLength: 2_000 })]),
      'The pages of which the text is wanted, from 0: a list, or a text such as `0,2-5`.',
    ),
    include_image_base64: optional(Type.Boolean(), 'Whether the pictures on the pages are wanted. Mistral only.'),
    image_limit: optional(Type.Integer({ minimum: 0 }), 'At most so many pictures. Mistral only.'),
    image_min_size: optional(Type.Integer({ minimum: 0 }), 'The smallest pictures. Mistral only.'),
    bbox_annotation_format: optional(freeObject(), 'What to say about each picture. Mistral only.'),
    document_annotation_format: optional(freeObject(), 'What to say about the document. Mistral only.'),
    document_annotation_prompt: optional(Type.String(), 'How to say it. Mistral only.'),
    fallbacks: optional(Type.Array(Type.String(), { maxItems: 3 }), 'Providers to try, in this order, if one fails.'),
    user: optional(Type.String(), 'Your own identifier of the end user. It is not passed on.'),
    metadata: optional(freeObject(), 'Your own metadata of this call. It is not passed on.'),
  },
  {
    title: 'OcrRequest',
    description: "A document to read, in Mistral's format. Fields not listed here are for Mistral.",
    ...open,
  },
)
export type OcrRequest = Static<typeof OcrRequest>

const Page = Type.Object(
  {
    index: Type.Integer({ description: 'The number of the page, from 0.' }),
    markdown: Type.String({ description: 'The text of the page. Only Mistral marks it up.' }),
    images: Type.Array(freeObject(), { description: 'The pictures on the page, as Mistral returns them.' }),
    dimensions: nullable(freeObject(), 'The size of the page. Null if the provider does not say it.'),
  },
  { title: 'OcrPage', additionalProperties: true },
)

export const OcrReply = Type.Object(
  {
    pages: Type.Array(Page, {
      description:
        'The pages in their order. A provider that does not tell them apart gives one, which has all the text.',
    }),
    model: Type.String({ description: 'The provider, and its model if it has several.' }),
    document_annotation: nullable(Type.String(), 'What was asked about the document, as JSON text.'),
    usage_info: Type.Object(
      {
        pages_processed: Type.Integer({ description: 'How many pages were read.' }),
        doc_size_bytes: nullable(Type.Integer(), 'The size of the document.'),
      },
      { description: 'What was read.' },
    ),
    provider: Type.String({ description: 'The provider that read the document.' }),
    cost: nullable(Type.Number(), 'What it cost, in USD. Null if the price is not known.'),
  },
  { title: 'OcrReply', description: 'The text of a document, page by page.' },
)
export type OcrReply = Static<typeof OcrReply>
export type OcrPage = Static<typeof Page>

export const OcrModels = TaskModels({
  title: 'OcrModels',
  description: 'The providers that this key can read documents with now.',
})
