import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'

export default feature({
  feature: 'text',
  subfeature: 'code_generation',
  fullname: 'Text: Code generation',
  description: 'Writes a program from a description.',
  mode: 'sync',
  input: closedObject({
    instruction: Type.String({ description: 'Description of the program.' }),
    prompt: optional(Type.String(), 'Code to start from.'),
    temperature: optional(Type.Number({ minimum: 0, maximum: 1 }), 'Temperature, from 0 to 1.', { default: 0 }),
    max_tokens: optional(Type.Integer({ minimum: 1 }), 'Maximum length in tokens.', { default: 1000 }),
  }),
  output: closedObject({ generated_text: Type.String({ description: 'The code.' }) }),
  example: {
    input: {
      instruction: 'A function that doubles a number',
      prompt: 'function double(',
      temperature: 0,
      max_tokens: 100,
    },
    output: { generated_text: 'function double(number) {\n  return number * 2\n}\n' },
  },
  unit: 'token',
})
