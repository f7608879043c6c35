import Type from '../../../../base/schema/type.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { textPairs } from '../../fields/text-pairs.ts'
import { scoreField } from '../../fields/score.ts'

const Classified = closedObject({
  input: Type.String({ description: 'The text.' }),
  label: Type.String({ description: 'The label that fits it best.' }),
  confidence: scoreField('Confidence of the provider, from 0 to 1.'),
})

export default feature({
  feature: 'text',
  subfeature: 'custom_classification',
  fullname: 'Text: Custom classification',
  description: 'Classifies texts by labels of your own.',
  mode: 'sync',
  input: closedObject({
    texts: Type.Array(Type.String(), { minItems: 1, description: 'The texts to classify.' }),
    labels: Type.Array(Type.String(), { minItems: 1, description: 'The labels to choose from.' }),
    examples: textPairs('Texts with the label that each should get.'),
  }),
  output: closedObject({
    classifications: Type.Array(Classified, { description: 'One entry per text, in the same order.' }),
  }),
  example: {
    input: {
      texts: ['Reset your password now', 'Lunch on Friday?'],
      labels: ['spam', 'not spam'],
      examples: [
        ['You have won a prize', 'spam'],
        ['The report is attached', 'not spam'],
      ],
    },
    output: {
      classifications: [
        { input: 'Reset your password now', label: 'spam', confidence: 0.91 },
        { input: 'Lunch on Friday?', label: 'not spam', confidence: 0.97 },
      ],
    },
  },
  unit: 'token',
})
