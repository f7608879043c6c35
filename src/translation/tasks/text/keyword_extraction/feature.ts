import Type from '../../../../base/schema/type.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { nullableFields } from '../../nullable-fields.ts'
import { TextInLanguageInput } from '../../fields/text-input.ts'
import { Score } from '../../fields/score.ts'

const Keyword = closedObject({
  keyword: Type.String({ description: 'The word or phrase.' }),
  ...nullableFields(Score, { importance: 'Importance from 0 to 1, if the provider reports it.' }),
})

export default feature({
  feature: 'text',
  subfeature: 'keyword_extraction',
  fullname: 'Text: Keyword extraction',
  description: 'Extracts the important words of a text.',
  mode: 'sync',
  input: TextInLanguageInput,
  output: closedObject({ items: Type.Array(Keyword, { description: 'The words, most important first.' }) }),
  example: {
    input: { text: 'The new bridge over the river opens in spring.', language: 'en' },
    output: {
      items: [
        { keyword: 'new bridge', importance: 0.99 },
        { keyword: 'river', importance: 0.87 },
        { keyword: 'spring', importance: null },
      ],
    },
  },
  unit: 'character',
})
