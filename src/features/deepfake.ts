import { words } from '../contract/fields.ts'

export const DeepfakePrediction = words(['deepfake', 'original'], { description: 'The score in a word.' })
