import Type from '../../../base/schema/type.ts'
import { ImageGenerationRequest } from '../../../contract/images.ts'

const file = Type.String({ format: 'binary', description: 'An image.' })

/** The fields of an edit form, for /docs only, because a form is read and checked part by part. */
export const ImageEditForm = Type.Object(
  {
    ...ImageGenerationRequest.properties,
    image: Type.Array(file, {
      minItems: 1,
      maxItems: 16,
      description: 'The canvas, then references: `image` once or several times, or `image[]`.',
    }),
    mask: Type.Optional(Type.String({ format: 'binary', description: 'Its transparent pixels mark what to redraw.' })),
  },
  {
    title: 'ImageEditForm',
    description: 'An image edit as a form with files. Fields not listed here are passed to the provider.',
    additionalProperties: true,
  },
)
