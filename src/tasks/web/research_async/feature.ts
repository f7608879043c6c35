import Type from '../../../schema/type.ts'
import { freeObject, optional } from '../../../schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { WebSource, webStatusField, webUsageField } from '../../fields/web-page.ts'

export default feature({
  feature: 'web',
  subfeature: 'research_async',
  fullname: 'Web: Research',
  description: 'Searches the web in several steps and answers a question with its sources.',
  mode: 'async',
  input: closedObject({
    prompt: Type.String({ description: 'What you want to know.' }),
    schema: optional(freeObject(), 'A JSON schema that the answer shall have.'),
    reasoning_depth: optional(Type.String(), "How thorough to be, in the provider's word."),
  }),
  output: closedObject({
    answer: optional(Type.String(), 'The answer as a text.'),
    data: Type.Optional(Type.Unknown({ description: 'The answer in the shape that was asked for.' })),
    sources: optional(Type.Array(WebSource), 'What the answer rests on.'),
    status: webStatusField,
    request_id: optional(Type.String(), "The provider's id of the request."),
    created_at: optional(Type.String(), 'When the provider began.'),
    usage: webUsageField,
  }),
  example: {
    input: { prompt: 'How high is Mont Blanc, by the latest survey?' },
    output: {
      answer: 'The survey of 2023 measured 4,805.59 metres.',
      sources: [
        {
          title: 'Mont Blanc survey 2023',
          url: 'https://survey.example/mont-blanc-2023',
          snippet: 'The summit stood at 4,805.59 metres.',
          published_date: '2023-10-05',
        },
      ],
      status: 'completed',
      request_id: 'research-42',
      created_at: '2030-01-31T12:00:00Z',
      usage: { credits: 12 },
    },
  },
  unit: 'token',
})
