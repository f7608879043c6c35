import Type from '../../../../base/schema/type.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { nullableFields } from '../../nullable-fields.ts'
import { TextInput } from '../../fields/text-input.ts'
import { Score } from '../../fields/score.ts'

const Language = closedObject({
  language: Type.String({ description: 'The language as an ISO code.' }),
  display_name: Type.String({ description: 'The language by its English name.' }),
  ...nullableFields(Score, { confidence: 'Confidence of the provider from 0 to 1, if it reports one.' }),
})

export default feature({
  feature: 'translation',
  subfeature: 'language_detection',
  fullname: 'Translation: Language detection',
  description: 'Detects the language of a text.',
  mode: 'sync',
  input: TextInput,
  output: closedObject({ items: Type.Array(Language, { description: 'The possible languages, most likely first.' }) }),
  example: {
    input: { text: 'Ce soir, il pleut.' },
    output: { items: [{ language: 'fr', display_name: 'French', confidence: 0.99 }] },
  },
  unit: 'character',
})
