import Type from '../../../../base/schema/type.ts'
import { nullable } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { nullableFields } from '../../nullable-fields.ts'
import { Score } from '../../fields/score.ts'

const Corner = closedObject(
  nullableFields(Type.Number(), { x: 'Distance from the left edge.', y: 'Distance from the upper edge.' }),
)

const Logo = closedObject({
  bounding_poly: closedObject({ vertices: nullable(Type.Array(Corner), 'Its corners.') }, 'Where it is.'),
  ...nullableFields(Type.String(), { description: 'Whose logo it is.' }),
  ...nullableFields(Score, { score: 'Confidence of the provider, from 0 to 1.' }),
})

export default feature({
  feature: 'image',
  subfeature: 'logo_detection',
  fullname: 'Image: Logo detection',
  description: 'Finds the logos in an image.',
  mode: 'sync',
  input: closedObject({ file: fileInput('The image.') }),
  output: closedObject({ items: Type.Array(Logo, { description: 'The logos.' }) }),
  example: {
    input: { file: 'https://example.com/billboard.jpg' },
    output: {
      items: [
        {
          bounding_poly: {
            vertices: [
              { x: 120, y: 40 },
              { x: 310, y: 40 },
              { x: 310, y: 160 },
              { x: 120, y: 160 },
            ],
          },
          description: 'Acme',
          score: 0.94,
        },
      ],
    },
  },
  unit: 'file',
})
