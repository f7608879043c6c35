import Type from '../../../../base/schema/type.ts'
import { nullable } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { scoreField } from '../../fields/score.ts'
import { sentimentField } from '../../fields/sentiment.ts'
import { TextInLanguageInput } from '../../fields/text-input.ts'

const Rate = scoreField('From 0 to 1.')

const Passage = closedObject({
  segment: Type.String({ description: 'A passage of the text.' }),
  sentiment: sentimentField('Sentiment of the passage.'),
  sentiment_rate: nullable(Rate, 'How strongly, from 0 to 1.'),
})

export default feature({
  feature: 'text',
  subfeature: 'sentiment_analysis',
  fullname: 'Text: Sentiment analysis',
  description: 'Detects whether a text is positive, negative or neutral, as a whole and passage by passage.',
  mode: 'sync',
  input: TextInLanguageInput,
  output: closedObject({
    general_sentiment: sentimentField('Sentiment of the whole text; of mixed sentiment the stronger pole.'),
    general_sentiment_rate: nullable(Rate, 'How strongly, from 0 to 1.'),
    items: Type.Array(Passage, { description: 'The text in passages, each with its own sentiment.' }),
  }),
  example: {
    input: { text: 'The room was lovely. Breakfast was cold.', language: 'en' },
    output: {
      general_sentiment: 'Positive',
      general_sentiment_rate: 0.58,
      items: [
        { segment: 'The room was lovely.', sentiment: 'Positive', sentiment_rate: 0.96 },
        { segment: 'Breakfast was cold.', sentiment: 'Negative', sentiment_rate: 0.84 },
      ],
    },
  },
  unit: 'character',
})
