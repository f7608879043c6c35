import Type, { type Static } from '../base/schema/type.ts'
import { exactlyOneOf, mapOf, nullable, open, optional, uuid, words } from '../base/schema/fields.ts'
import { ImageConfig } from './chat.ts'
import { IMAGE_URL } from '../base/schema/patterns.ts'

const generation = {
  model: Type.String({ description: 'The model, as `provider/model`.', examples: ['sandbox/image'] }),
  prompt: Type.String({ minLength: 1, maxLength: 32_000, description: 'A description of the image.' }),
  n: optional(Type.Integer({ minimum: 1, maximum: 10 }), 'How many images to generate.'),
  size: optional(Type.String(), 'The resolution as `WxH`, or `auto`. The model decides what is possible.'),
  quality: optional(Type.String(), 'Such as `standard`, `hd` or `auto`. The model decides what is possible.'),
  response_format: optional(
    words(['url', 'b64_json']),
    "A link or the image itself. The provider's default if absent.",
  ),
  stream: optional(
    Type.Boolean(),
    'Events instead of one JSON answer, if the request is made in OpenAI’s way. Otherwise it is only passed to the provider.',
  ),
  partial_images: optional(
    Type.Integer({ minimum: 0, maximum: 3 }),
    'How many partial images to send before the image, with `stream`.',
  ),
  image_config: optional(ImageConfig, 'Settings of Google’s image models. They override `size`.'),
  extra_headers: optional(mapOf(Type.String()), 'Further headers for the provider.'),
}

export const ImageGenerationRequest = Type.Object(generation, {
  title: 'ImageGenerationRequest',
  description: 'A call of an image model. Fields not listed here are passed to the provider.',
  ...open,
})
export type ImageGenerationRequest = Static<typeof ImageGenerationRequest>

export const ImageReference = Type.Object(
  {
    file_id: Type.Optional(uuid('The id of an uploaded file.')),
    image_url: Type.Optional(Type.String({ pattern: IMAGE_URL, description: 'An https:// URL or a data:image/ URL.' })),
  },
  {
    title: 'ImageReference',
    description: 'An image to work on: exactly one of `file_id` and `image_url`.',
    additionalProperties: false,
    ...exactlyOneOf('file_id', 'image_url'),
  },
)
export type ImageReference = Static<typeof ImageReference>

export const ImageEditRequest = Type.Object(
  {
    ...generation,
    images: Type.Array(ImageReference, {
      minItems: 1,
      maxItems: 16,
      description: 'The image to change, then reference images.',
    }),
    mask: optional(ImageReference, 'The transparent pixels mark what to redraw.'),
  },
  {
    title: 'ImageEditRequest',
    description: 'A call of an image model that edits images. Fields not listed here are passed to the provider.',
    ...open,
  },
)
export type ImageEditRequest = Static<typeof ImageEditRequest>

const Image = Type.Object(
  {
    b64_json: nullable(Type.String(), 'The image in base64.'),
    url: nullable(Type.String(), 'A link to the image, which may expire.'),
    revised_prompt: nullable(Type.String(), 'The prompt as the provider rewrote it.'),
  },
  { description: 'An image: one of `url` and `b64_json`, the other is null.', ...open },
)

const tokensByKind = Type.Object({
  text_tokens: Type.Integer({ minimum: 0, description: 'Tokens of text.' }),
  image_tokens: Type.Integer({ minimum: 0, description: 'Tokens of images.' }),
})

const ImageUsage = Type.Object(
  {
    total_tokens: Type.Integer({ minimum: 0, description: 'The total of both.' }),
    input_tokens: Type.Integer({ minimum: 0, description: 'Tokens read.' }),
    output_tokens: Type.Integer({ minimum: 0, description: 'Tokens of the generated images.' }),
    input_tokens_details: {
      ...tokensByKind,
      description:
        'The parts of `input_tokens`. If the provider does not report them: all text, or all images in an edit.',
    },
    output_tokens_details: Type.Optional({
      ...tokensByKind,
      description: 'The parts of `output_tokens`, if reported.',
    }),
  },
  open,
)

export const ImageResponse = Type.Object(
  {
    created: Type.Integer({ description: 'The time, in seconds since 1970.' }),
    data: Type.Array(Image, { description: 'The images.' }),
    output_format: Type.Optional(
      Type.String({
        description:
          'The format of the images, such as png; absent if the provider does not name it and the image cannot be read.',
      }),
    ),
    size: Type.String({
      description: 'The resolution of the first image; if it is not known, the requested `size`, or `auto`.',
    }),
    usage: Type.Optional({ ...ImageUsage, description: 'Tokens used; absent if the provider does not count them.' }),
    // Optional for the same reason as in a chat completion: the price is added after decoding.
    cost: optional(Type.Number(), 'What the call cost, in USD. Null if the price is not known.'),
    provider: Type.Optional(Type.String({ description: 'The provider that answered.' })),
  },
  { title: 'ImageResponse', description: 'The answer of an image model.', ...open },
)
export type ImageResponse = Static<typeof ImageResponse>
