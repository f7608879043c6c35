import Type from '../../../schema/type.ts'
import { LooseBox } from '../../fields/bounding-box.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { nullableFields } from '../../nullable-fields.ts'

const Match = closedObject({
  ...nullableFields(Type.Number(), { confidence: 'How likely it is the same person.' }),
  bounding_box: LooseBox,
})

export default feature({
  feature: 'image',
  subfeature: 'face_compare',
  fullname: 'Image: Face comparison',
  description: 'Says whether the face of one picture is in another.',
  mode: 'sync',
  input: closedObject({
    file1: fileInput('The picture with the face to look for.'),
    file2: fileInput('The picture to look in.'),
  }),
  output: closedObject({ items: Type.Array(Match, { description: 'The faces of the second picture that fit.' }) }),
  example: {
    input: { file1: 'https://example.com/passport-photo.jpg', file2: 'https://example.com/team.jpg' },
    output: {
      items: [{ confidence: 0.96, bounding_box: { left: 0.42, top: 0.18, width: 0.12, height: 0.2 } }],
    },
  },
  unit: 'request',
})
