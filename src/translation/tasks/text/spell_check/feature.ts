import Type from '../../../../base/schema/type.ts'
import { nullable } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { nullableFields } from '../../nullable-fields.ts'
import { scoreField } from '../../fields/score.ts'
import { TextInLanguageInput } from '../../fields/text-input.ts'

const Suggestion = closedObject({
  suggestion: Type.String({ description: 'The suggested text.' }),
  score: nullable(scoreField('Quality of the suggestion.'), 'Quality of the suggestion, if the provider reports it.'),
})

const Mistake = closedObject({
  text: Type.String({ description: 'What is written.' }),
  ...nullableFields(Type.String(), { type: "Type of the mistake, in the provider's words." }),
  offset: Type.Integer({ minimum: 0, description: 'At which character of the text it begins, from 0.' }),
  length: Type.Integer({ minimum: 0, description: 'How many characters it has.' }),
  suggestions: Type.Array(Suggestion, { description: 'Suggestions, best first.' }),
})

export default feature({
  feature: 'text',
  subfeature: 'spell_check',
  fullname: 'Text: Spell check',
  description: 'Finds mistakes in spelling and grammar, and suggests corrections.',
  mode: 'sync',
  input: TextInLanguageInput,
  output: closedObject({
    text: Type.String({ description: 'The text as it was given.' }),
    items: Type.Array(Mistake, { description: 'The mistakes, in the order of the text.' }),
  }),
  example: {
    input: { text: 'Hollo, wrld! How are yu?', language: 'en' },
    output: {
      text: 'Hollo, wrld! How are yu?',
      items: [
        {
          text: 'Hollo',
          type: 'spelling',
          offset: 0,
          length: 5,
          suggestions: [
            { suggestion: 'Hello', score: 0.9 },
            { suggestion: 'Hollow', score: 0.4 },
          ],
        },
        { text: 'wrld', type: 'spelling', offset: 7, length: 4, suggestions: [{ suggestion: 'world', score: 0.95 }] },
        { text: 'yu', type: null, offset: 21, length: 2, suggestions: [{ suggestion: 'you', score: null }] },
      ],
    },
  },
  unit: 'character',
})
