import Type from '../../../../base/schema/type.ts'
import { freeObject, nullable } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { Score } from '../../fields/score.ts'
import { nullableFields } from '../../nullable-fields.ts'
import { TextInLanguageInput } from '../../fields/text-input.ts'

const Word = closedObject({
  word: Type.String({ description: 'The word as the text has it.' }),
  ...nullableFields(Score, { importance: 'Confidence of the provider from 0 to 1, if it reports one.' }),
  tag: Type.String({ description: 'Its part of speech.' }),
  ...nullableFields(Type.String(), { lemma: 'Dictionary form.' }),
  others: nullable(freeObject(), 'Further properties, such as number and tense.'),
})

export default feature({
  feature: 'text',
  subfeature: 'syntax_analysis',
  fullname: 'Text: Syntax analysis',
  description: 'Determines the part of speech of every word.',
  mode: 'sync',
  input: TextInLanguageInput,
  output: closedObject({ items: Type.Array(Word, { description: 'The words, in the order of the text.' }) }),
  example: {
    input: { text: 'Birds sang.', language: 'en' },
    output: {
      items: [
        { word: 'Birds', importance: 0.99, tag: 'Noun', lemma: 'bird', others: { number: 'PLURAL' } },
        { word: 'sang', importance: 0.98, tag: 'Verb', lemma: 'sing', others: { tense: 'PAST' } },
        { word: '.', importance: null, tag: 'Punctuation', lemma: null, others: null },
      ],
    },
  },
  unit: 'character',
})
