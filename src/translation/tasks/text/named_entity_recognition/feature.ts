import Type from '../../../../base/schema/type.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { nullableFields } from '../../nullable-fields.ts'
import { TextInLanguageInput } from '../../fields/text-input.ts'
import { Score } from '../../fields/score.ts'

const Entity = closedObject({
  entity: Type.String({ description: 'What is named, as the text has it.' }),
  ...nullableFields(Type.String(), { category: "Category, in the provider's words." }),
  ...nullableFields(Score, { importance: 'Importance, or confidence of the provider, from 0 to 1.' }),
})

export default feature({
  feature: 'text',
  subfeature: 'named_entity_recognition',
  fullname: 'Text: Named entity recognition',
  description: 'Finds the people, places, organisations and other things that a text names.',
  mode: 'sync',
  input: TextInLanguageInput,
  output: closedObject({ items: Type.Array(Entity, { description: 'What is named, in the order of the text.' }) }),
  example: {
    input: { text: 'Marie Curie moved from Warsaw to Paris in 1891.', language: 'en' },
    output: {
      items: [
        { entity: 'Marie Curie', category: 'PERSON', importance: 0.9987 },
        { entity: 'Warsaw', category: 'LOCATION', importance: 0.9971 },
        { entity: 'Paris', category: 'LOCATION', importance: 0.9968 },
        { entity: '1891', category: 'DATE', importance: null },
      ],
    },
  },
  unit: 'character',
})
