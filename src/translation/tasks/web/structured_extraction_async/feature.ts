import Type from '../../../../base/schema/type.ts'
import { freeObject, optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { WebSource, webFailuresField, webStatusField, webUsageField } from '../../fields/web-page.ts'

export default feature({
  feature: 'web',
  subfeature: 'structured_extraction_async',
  fullname: 'Web: Structured extraction',
  description: 'Extracts data from web pages according to a prompt or a schema.',
  mode: 'async',
  input: closedObject({
    urls: Type.Array(Type.String(), { maxItems: 10_000, description: 'URLs of the pages.' }),
    prompt: optional(Type.String(), 'Description of the data to extract.'),
    schema: optional(freeObject(), 'A JSON schema of the result.'),
  }),
  output: closedObject({
    data: Type.Optional(Type.Unknown({ description: 'The extracted data.' })),
    sources: optional(Type.Array(WebSource), 'The sources of the data.'),
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
