import { closedObject } from '../../closed-object.ts'
import { DeepfakePrediction } from '../../fields/deepfake.ts'
import { feature, fileInput } from '../../feature.ts'
import { scoreField } from '../../fields/score.ts'

export default feature({
  feature: 'image',
  subfeature: 'deepfake_detection',
  fullname: 'Image: Deepfake detection',
  description: 'Estimates how likely the face in an image was swapped or altered.',
  mode: 'sync',
  input: closedObject({ file: fileInput('The image.') }),
  output: closedObject({
    deepfake_score: scoreField('Probability that the image is a fake.'),
    prediction: DeepfakePrediction,
  }),
  example: {
    input: { file: 'https://example.com/speaker.jpg' },
    output: { deepfake_score: 0.07, prediction: 'original' },
  },
  unit: 'image',
})
