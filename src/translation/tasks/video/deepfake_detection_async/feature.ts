import Type from '../../../../base/schema/type.ts'
import { closedObject } from '../../closed-object.ts'
import { DeepfakePrediction } from '../../fields/deepfake.ts'
import { feature, fileInput } from '../../feature.ts'
import { scoreField } from '../../fields/score.ts'

const Frame = closedObject({
  position: Type.Number({ description: 'Position of the frame in the video.' }),
  score: scoreField('Probability that the frame is a fake.'),
  prediction: DeepfakePrediction,
})

export default feature({
  feature: 'video',
  subfeature: 'deepfake_detection_async',
  fullname: 'Video: Deepfake detection',
  description: 'Estimates how likely the faces in a video were swapped or altered, frame by frame.',
  mode: 'async',
  input: closedObject({ file: fileInput('The video.') }),
  output: closedObject({
    average_score: scoreField('Probability that the video is a fake.'),
    prediction: DeepfakePrediction,
    details_per_frame: Type.Array(Frame, { description: 'The probabilities of the analyzed frames.' }),
  }),
  example: {
    input: { file: 'https://example.com/speech.mp4' },
    output: {
      average_score: 0.87,
      prediction: 'deepfake',
      details_per_frame: [
        { position: 0, score: 0.82, prediction: 'deepfake' },
        { position: 1, score: 0.92, prediction: 'deepfake' },
      ],
    },
  },
  unit: 'second',
})
