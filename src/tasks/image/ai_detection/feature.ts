import { words } from '../../../schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { scoreField } from '../../fields/score.ts'

export default feature({
  feature: 'image',
  subfeature: 'ai_detection',
  fullname: 'Image: AI detection',
  description: 'Says how likely a picture was made by a machine.',
  mode: 'sync',
  input: closedObject({ file: fileInput('The picture.') }),
  output: closedObject({
    ai_score: scoreField('How likely a machine made the picture.'),
    prediction: words(['ai-generated', 'original'], { description: 'The score in a word.' }),
  }),
  example: {
    input: { file: 'https://example.com/portrait.jpg' },
    output: { ai_score: 0.93, prediction: 'ai-generated' },
  },
  unit: 'image',
})
