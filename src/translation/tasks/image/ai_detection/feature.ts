import { words } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { scoreField } from '../../fields/score.ts'

export default feature({
  feature: 'image',
  subfeature: 'ai_detection',
  fullname: 'Image: AI detection',
  description: 'Estimates how likely an image is AI-generated.',
  mode: 'sync',
  input: closedObject({ file: fileInput('The image.') }),
  output: closedObject({
    ai_score: scoreField('Probability that the image is AI-generated.'),
    prediction: words(['ai-generated', 'original'], { description: 'The score as a word.' }),
  }),
  example: {
    input: { file: 'https://example.com/portrait.jpg' },
    output: { ai_score: 0.93, prediction: 'ai-generated' },
  },
  unit: 'image',
})
