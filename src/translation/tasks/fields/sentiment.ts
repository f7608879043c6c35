import { words } from '../../../base/schema/fields.ts'

export function sentimentField(description: string) {
  return words(['Positive', 'Negative', 'Neutral'], { description })
}
