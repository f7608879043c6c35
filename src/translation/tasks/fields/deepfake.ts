import { words } from '../../../base/schema/fields.ts'

export const DeepfakePrediction = words(['deepfake', 'original'], { description: 'The score as a word.' })
