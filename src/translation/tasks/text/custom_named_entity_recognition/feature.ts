import Type from '../../../../base/schema/type.ts'
import { freeObject, optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { TextInput } from '../../fields/text-input.ts'

const Entity = closedObject({
  entity: Type.String({ description: 'What is named, as the text has it.' }),
  category: Type.String({ description: 'Which of your kinds it is.' }),
})

export default feature({
  feature: 'text',
  subfeature: 'custom_named_entity_recognition',
  fullname: 'Text: Custom named entity recognition',
  description: 'Finds things of the kinds that you name in a text.',
  mode: 'sync',
  input: closedObject({
    ...TextInput.properties,
    entities: Type.Array(Type.String(), { minItems: 1, description: 'The kinds to look for.' }),
    examples: optional(Type.Array(freeObject()), 'Texts with what should be found in each.'),
  }),
  output: closedObject({ items: Type.Array(Entity, { description: 'What was found, in the order of the text.' }) }),
  example: {
    input: { text: 'Two espressos and a croissant, please.', entities: ['drink', 'food'] },
    output: {
      items: [
        { entity: 'espressos', category: 'drink' },
        { entity: 'croissant', category: 'food' },
      ],
    },
  },
  unit: 'token',
})
