import Type from '../../../schema/type.ts'
import { freeObject, optional } from '../../../schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { WebSource, webFailuresField, webStatusField, webUsageField } from '../../fields/web-page.ts'

export default feature({
  feature: 'web',
  subfeature: 'structured_extraction_async',
  fullname: 'Web: Structured extraction',
  description: 'Reads web pages and gives what you ask for in the shape you ask for.',
  mode: 'async',
  input: closedObject({
    urls: Type.Array(Type.String(), { description: 'Addresses of the pages.' }),
    prompt: optional(Type.String(), 'What to take from them.'),
    schema: optional(freeObject(), 'A JSON schema that the result shall have.'),
  }),
  output: closedObject({
    data: Type.Optional(Type.Unknown({ description: 'What was found, in the shape that was asked for.' })),
    sources: optional(Type.Array(WebSource), 'Where it was found.'),
    status: webStatusField,
    failed_results: webFailuresField,
    usage: webUsageField,
  }),
  example: {
    input: {
      urls: ['https://shop.example/lamp'],
      prompt: 'Name and price of the product',
      schema: { type: 'object', properties: { name: { type: 'string' }, price: { type: 'number' } } },
    },
    output: {
      data: { name: 'Desk lamp', price: 39.9 },
      sources: [{ url: 'https://shop.example/lamp', title: 'Desk lamp' }],
      status: 'completed',
      failed_results: [],
      usage: { credits: 1 },
    },
  },
  unit: 'token',
})
