import Type from '../../../schema/type.ts'
import { optional } from '../../../schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'

const Vector = closedObject({ embedding: Type.Array(Type.Number(), { description: 'The numbers.' }) })

export default feature({
  feature: 'text',
  subfeature: 'embeddings',
  fullname: 'Text: Embeddings',
  description: 'Turns texts into lists of numbers that are alike where the texts are alike.',
  mode: 'sync',
  input: closedObject({
    texts: Type.Array(Type.String(), { description: 'The texts.' }),
    dimensions: optional(Type.Integer({ minimum: 1 }), 'How many numbers per text, where the model lets you choose.'),
  }),
  output: closedObject({ items: Type.Array(Vector, { description: 'One entry per text, in the same order.' }) }),
  example: {
    input: { texts: ['cat', 'kitten'] },
    output: { items: [{ embedding: [0.12, -0.45, 0.33, 0.81] }, { embedding: [0.15, -0.41, 0.36, 0.79] }] },
  },
  unit: 'token',
})
