import Type from '../../../../base/schema/type.ts'
import { LooseBox } from '../../fields/bounding-box.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { nullableFields } from '../../nullable-fields.ts'
import { Score } from '../../fields/score.ts'

const Match = closedObject({
  ...nullableFields(Score, { confidence: 'How likely it is the same person, from 0 to 1.' }),
  bounding_box: LooseBox,
})

export default feature({
  feature: 'image',
  subfeature: 'face_compare',
  fullname: 'Image: Face comparison',
  description: 'Finds the face of one image in another.',
  mode: 'sync',
  input: closedObject({
    file1: fileInput('The image with the face to find.'),
    file2: fileInput('The image to search.'),
  }),
  output: closedObject({ items: Type.Array(Match, { description: 'The matching faces of the second image.' }) }),
  example: {
    input: { file1: 'https://example.com/passport-photo.jpg', file2: 'https://example.com/team.jpg' },
    output: {
      items: [{ confidence: 0.96, bounding_box: { left: 0.42, top: 0.18, width: 0.12, height: 0.2 } }],
    },
  },
  unit: 'request',
})
