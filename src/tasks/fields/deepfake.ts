import { words } from '../../schema/fields.ts'

export const DeepfakePrediction = words(['deepfake', 'original'], { description: 'The score in a word.' })
