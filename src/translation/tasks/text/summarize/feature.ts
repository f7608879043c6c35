import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { TextInLanguageInput } from '../../fields/text-input.ts'

export default feature({
  feature: 'text',
  subfeature: 'summarize',
  fullname: 'Text: Summary',
  description: 'Summarizes a text in a few sentences.',
  mode: 'sync',
  input: closedObject({
    ...TextInLanguageInput.properties,
    output_sentences: optional(Type.Integer({ minimum: 1 }), 'Number of sentences in the summary.', { default: 1 }),
  }),
  output: closedObject({ result: Type.String({ description: 'The summary.' }) }),
  example: {
    input: {
      text: 'The bakery opened in 1921. It burnt down twice and was rebuilt. Today the fourth generation runs it.',
      output_sentences: 1,
      language: 'en',
    },
    output: { result: 'A bakery of 1921, twice rebuilt after fires, is now run by the fourth generation.' },
  },
  unit: 'character',
})
