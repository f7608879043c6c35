import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { textPairs } from '../../fields/text-pairs.ts'

export default feature({
  feature: 'text',
  subfeature: 'question_answer',
  fullname: 'Text: Question answering',
  description: 'Answers a question from the texts it is given.',
  mode: 'sync',
  input: closedObject({
    texts: Type.Array(Type.String(), { minItems: 1, description: 'The texts that contain the answer.' }),
    question: Type.String({ description: 'The question.' }),
    temperature: optional(Type.Number({ minimum: 0, maximum: 1 }), 'Temperature, from 0 to 1.', {
      default: 0,
    }),
    examples_context: optional(Type.String(), 'A text that the example questions are about.'),
    examples: optional(textPairs('Examples.'), 'Questions with their answers, to show what a good answer is.'),
  }),
  output: closedObject({ answers: Type.Array(Type.String(), { description: 'The answers, best first.' }) }),
  example: {
    input: {
      texts: ['The library opens at nine and closes at six.'],
      question: 'When does the library close?',
      temperature: 0,
      examples_context: 'The pool is open all year.',
      examples: [['When is the pool open?', 'All year.']],
    },
    output: { answers: ['At six.'] },
  },
  unit: 'token',
})
