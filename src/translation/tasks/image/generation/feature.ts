import Type from '../../../../base/schema/type.ts'
import { freeObject, optional } from '../../../../base/schema/fields.ts'
import { missing } from '../../../../base/schema/issue-messages.ts'
import { closedObject } from '../../closed-object.ts'
import { EXAMPLE_PNG } from '../../example-files.ts'
import { feature, fileInput } from '../../feature.ts'
import { base64Field, resourceUrlField } from '../../fields/produced-file.ts'

const Reference = Type.Union([fileInput('An image.'), freeObject({ description: 'An image with settings.' })])

const OutputImage = closedObject({
  image: base64Field('The image.'),
  image_resource_url: resourceUrlField(),
})

export default feature({
  feature: 'image',
  subfeature: 'generation',
  fullname: 'Image: Generation',
  description: 'Generates images from a description.',
  mode: 'sync',
  input: closedObject({
    text: Type.String({ description: 'Description of the image.' }),
    resolution: optional(Type.String(), 'Width and height in pixels, as in `1024x1024`.'),
    num_images: optional(Type.Integer({ minimum: 1, maximum: 10 }), 'Number of images.', { default: 1 }),
    reference_images: optional(Type.Array(Reference), 'Reference images.'),
    mask: optional(
      fileInput('An image.'),
      'The area of the reference image that may change: where this image is transparent.',
    ),
  }),
  output: closedObject({ items: Type.Array(OutputImage, { description: 'The images.' }) }),
  example: {
    input: { text: 'A lighthouse in the fog, as a woodcut', resolution: '1024x1024', num_images: 1 },
    output: { items: [{ image: EXAMPLE_PNG, image_resource_url: 'https://gateway.example/files/lighthouse.png' }] },
  },
  unit: 'image',
  rules: ({ mask, reference_images }, loc) =>
    mask && !reference_images?.length ? [missing([...loc, 'reference_images'])] : [],
})
