import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'

const Vector = closedObject({ embedding: Type.Array(Type.Number(), { description: 'The numbers.' }) })

export default feature({
  feature: 'text',
  subfeature: 'embeddings',
  fullname: 'Text: Embeddings',
  description: 'Converts texts to vectors that are similar if the texts are similar.',
  mode: 'sync',
  input: closedObject({
    texts: Type.Array(Type.String(), { description: 'The texts.' }),
    dimensions: optional(Type.Integer({ minimum: 1 }), 'Dimensions of the vectors, if the model supports a choice.'),
  }),
  output: closedObject({ items: Type.Array(Vector, { description: 'One entry per text, in the same order.' }) }),
  example: {
    input: { texts: ['cat', 'kitten'] },
    output: { items: [{ embedding: [0.12, -0.45, 0.33, 0.81] }, { embedding: [0.15, -0.41, 0.36, 0.79] }] },
  },
  unit: 'token',
})
