import Type from '../../../../base/schema/type.ts'
import { Extent } from '../../fields/bounding-box.ts'
import { closedObject } from '../../closed-object.ts'
import { EXAMPLE_PNG } from '../../example-files.ts'
import { feature, fileInput } from '../../feature.ts'
import { base64Field, resourceUrlField } from '../../fields/produced-file.ts'
import { scoreField } from '../../fields/score.ts'

const Hidden = closedObject({
  kind: Type.String({ description: 'What was hidden, such as a face or a number plate.' }),
  confidence: scoreField('Confidence of the provider, from 0 to 1.'),
  bounding_boxes: Extent,
})

export default feature({
  feature: 'image',
  subfeature: 'anonymization',
  fullname: 'Image: Anonymization',
  description: 'Hides faces, number plates and similar details in an image.',
  mode: 'sync',
  input: closedObject({ file: fileInput('The image.') }),
  output: closedObject({
    image: base64Field('The image with everything hidden.'),
    image_resource_url: resourceUrlField(),
    items: Type.Array(Hidden, { description: 'What was hidden.' }),
  }),
  example: {
    input: { file: 'https://example.com/street.jpg' },
    output: {
      image: EXAMPLE_PNG,
      image_resource_url: 'https://gateway.example/files/street.png',
      items: [
        { kind: 'face', confidence: 0.98, bounding_boxes: { x_min: 0.4, x_max: 0.5, y_min: 0.2, y_max: 0.35 } },
        {
          kind: 'license_plate',
          confidence: 0.91,
          bounding_boxes: { x_min: 0.7, x_max: 0.8, y_min: 0.8, y_max: 0.84 },
        },
      ],
    },
  },
  unit: 'file',
})
