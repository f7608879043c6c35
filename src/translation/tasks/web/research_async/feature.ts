import Type from '../../../../base/schema/type.ts'
import { freeObject, optional } from '../../../../base/schema/fields.ts'
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
    prompt: Type.String({ description: 'The question.' }),
    schema: optional(freeObject(), 'A JSON schema of the answer.'),
    reasoning_depth: optional(Type.String(), "Depth, in the provider's words."),
  }),
  output: closedObject({
    answer: optional(Type.String(), 'The answer as a text.'),
    data: Type.Optional(Type.Unknown({ description: 'The answer as data that matches the schema.' })),
    sources: optional(Type.Array(WebSource), 'The sources of the answer.'),
    status: webStatusField,
    request_id: optional(Type.String(), "The provider's id of the request."),
    created_at: optional(Type.String(), 'When the provider started.'),
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
