import Type from '../../../../base/schema/type.ts'
import { uuid } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { scoreField } from '../../fields/score.ts'

const Match = closedObject({
  confidence: scoreField('How likely it is this face, from 0 to 1.'),
  face_id: Type.String({ description: 'Id of the face in the collection.' }),
})

export default feature({
  feature: 'image',
  subfeature: 'face_recognition',
  fullname: 'Image: Face recognition',
  description: 'Finds the face of an image in a collection of faces.',
  mode: 'sync',
  input: closedObject({
    collection_id: uuid('The collection to search.'),
    file: fileInput('The image with the face to find.'),
  }),
  output: closedObject({
    items: Type.Array(Match, { description: 'The matching faces of the collection, best first.' }),
  }),
  example: {
    input: { collection_id: '2c1e5b0e-3f4d-4b59-9a0b-7c8f1d2e3a4b', file: 'https://example.com/visitor.jpg' },
    output: { items: [{ confidence: 0.98, face_id: '9d4b3c64-5a0e-4c2e-8d8f-0b8b7f1a2c3d' }] },
  },
  unit: 'file',
  fallbacks: false,
  collections: true,
})
