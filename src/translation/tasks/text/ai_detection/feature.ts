import Type from '../../../../base/schema/type.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { scoreField } from '../../fields/score.ts'
import { TextInput } from '../../fields/text-input.ts'

const Passage = closedObject({
  text: Type.String({ description: 'The passage.' }),
  prediction: Type.String({ description: '`ai-generated` for a score above 0.5, else `original`.' }),
  ai_score: scoreField('Probability that the passage is AI-generated.'),
  ai_score_detail: scoreField('The same score, by its older name.'),
})

export default feature({
  feature: 'text',
  subfeature: 'ai_detection',
  fullname: 'Text: AI detection',
  description: 'Estimates how likely a text is AI-generated, as a whole and passage by passage.',
  mode: 'sync',
  input: TextInput,
  output: closedObject({
    ai_score: scoreField('Probability that the text is AI-generated.'),
    items: Type.Array(Passage, { description: 'The text in passages, each with its own score.' }),
  }),
  example: {
    input: { text: 'Our city has a rich history. My grandmother sold figs by the harbour.' },
    output: {
      ai_score: 0.46,
      items: [
        { text: 'Our city has a rich history.', prediction: 'ai-generated', ai_score: 0.81, ai_score_detail: 0.81 },
        {
          text: 'My grandmother sold figs by the harbour.',
          prediction: 'original',
          ai_score: 0.11,
          ai_score_detail: 0.11,
        },
      ],
    },
  },
  unit: 'character',
})
