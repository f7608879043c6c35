import Type from '../../../../base/schema/type.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { scoreField } from '../../fields/score.ts'
import { TextInLanguageInput } from '../../fields/text-input.ts'

const Topic = closedObject({
  category: Type.String({ description: 'The topic, with capitals as in a title.' }),
  importance: scoreField('How much of the text is about it, with two decimals.'),
})

export default feature({
  feature: 'text',
  subfeature: 'topic_extraction',
  fullname: 'Text: Topic extraction',
  description: 'Determines the topics of a text.',
  mode: 'sync',
  input: TextInLanguageInput,
  output: closedObject({ items: Type.Array(Topic, { description: 'The topics, most important first.' }) }),
  example: {
    input: { text: 'The central bank raised its rate again, and shares of lenders fell.', language: 'en' },
    output: {
      items: [
        { category: 'Finance', importance: 0.94 },
        { category: 'News/Business News', importance: 0.61 },
      ],
    },
  },
  unit: 'character',
})
