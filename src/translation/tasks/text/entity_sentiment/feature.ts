import Type from '../../../../base/schema/type.ts'
import { words } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { nullableFields } from '../../nullable-fields.ts'
import { TextInLanguageInput } from '../../fields/text-input.ts'

const Entity = closedObject({
  type: Type.String({ description: 'What it is.' }),
  text: Type.String({ description: 'What is named, as the text has it.' }),
  sentiment: words(['Positive', 'Negative', 'Neutral', 'Mixed'], { description: 'Sentiment of the text about it.' }),
  ...nullableFields(Type.Integer(), {
    begin_offset: 'At which character of the text it begins, from 0.',
    end_offset: 'At which character it ends, that one not included.',
  }),
})

export default feature({
  feature: 'text',
  subfeature: 'entity_sentiment',
  fullname: 'Text: Entity sentiment',
  description: 'Finds the entities in a text and the sentiment about each.',
  mode: 'sync',
  input: TextInLanguageInput,
  output: closedObject({ items: Type.Array(Entity, { description: 'What is named, in the order of the text.' }) }),
  example: {
    input: { text: 'The camera is superb, but the battery is a joke.', language: 'en' },
    output: {
      items: [
        { type: 'OTHER', text: 'camera', sentiment: 'Positive', begin_offset: 4, end_offset: 10 },
        { type: 'OTHER', text: 'battery', sentiment: 'Negative', begin_offset: 30, end_offset: 37 },
      ],
    },
  },
  unit: 'character',
})
