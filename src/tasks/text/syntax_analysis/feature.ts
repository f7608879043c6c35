import Type from '../../../schema/type.ts'
import { freeObject, nullable } from '../../../schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { nullableFields } from '../../nullable-fields.ts'
import { TextInLanguageInput } from '../../fields/text-input.ts'

const Word = closedObject({
  word: Type.String({ description: 'The word as the text has it.' }),
  ...nullableFields(Type.Number(), { importance: 'How sure the provider is, where it says.' }),
  tag: Type.String({ description: 'Its part of speech.' }),
  ...nullableFields(Type.String(), { lemma: 'Its form in a dictionary.' }),
  others: nullable(freeObject(), 'What else the provider says, such as number and tense.'),
})

export default feature({
  feature: 'text',
  subfeature: 'syntax_analysis',
  fullname: 'Text: Syntax analysis',
  description: 'Says for every word of a text what part of speech it is.',
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
