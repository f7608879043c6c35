import Type from '../../../../base/schema/type.ts'
import { extentFields } from '../../fields/bounding-box.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { scoreField } from '../../fields/score.ts'

const Thing = closedObject({
  label: Type.String({ description: 'What it is.' }),
  confidence: scoreField('Confidence of the provider, from 0 to 1.'),
  ...extentFields,
})

export default feature({
  feature: 'image',
  subfeature: 'object_detection',
  fullname: 'Image: Object detection',
  description: 'Finds and names the objects in an image.',
  mode: 'sync',
  input: closedObject({ file: fileInput('The image.') }),
  output: closedObject({ items: Type.Array(Thing, { description: 'The objects in the image.' }) }),
  example: {
    input: { file: 'https://example.com/street.jpg' },
    output: {
      items: [
        { label: 'Bicycle', confidence: 0.97, x_min: 0.12, x_max: 0.41, y_min: 0.5, y_max: 0.9 },
        { label: 'Street', confidence: 0.88, x_min: null, x_max: null, y_min: null, y_max: null },
      ],
    },
  },
  unit: 'file',
})
