import Type from '../../../../base/schema/type.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { TextInput } from '../../fields/text-input.ts'

const Emotion = closedObject({
  emotion: Type.String({ description: 'The emotion.' }),
  emotion_score: Type.Number({ minimum: 0, maximum: 100, description: 'How strong it is, from 0 to 100.' }),
})

export default feature({
  feature: 'text',
  subfeature: 'emotion_detection',
  fullname: 'Text: Emotion detection',
  description: 'Detects the emotions in a text.',
  mode: 'sync',
  input: TextInput,
  output: closedObject({
    text: Type.String({ description: 'The text as it was given.' }),
    items: Type.Array(Emotion, { description: 'The emotions, strongest first.' }),
  }),
  example: {
    input: { text: 'I cannot believe we won!' },
    output: {
      text: 'I cannot believe we won!',
      items: [
        { emotion: 'Happiness', emotion_score: 78.4 },
        { emotion: 'Surprise', emotion_score: 54.1 },
      ],
    },
  },
  unit: 'character',
})
