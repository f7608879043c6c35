import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { WebPage, webStatusField, webUsageField } from '../../fields/web-page.ts'

export default feature({
  feature: 'web',
  subfeature: 'crawl_async',
  fullname: 'Web: Crawling',
  description: 'Follows the links of a web site and returns the text of every page found.',
  mode: 'async',
  input: closedObject({ url: Type.String({ description: 'Where to begin.' }) }),
  output: closedObject({
    pages: optional(Type.Array(WebPage), 'The pages that were read.'),
    status: webStatusField,
    total: optional(Type.Integer(), 'How many pages were found.'),
    completed: optional(Type.Integer(), 'How many pages were read.'),
    base_url: optional(Type.String(), 'Where it began.'),
    usage: webUsageField,
  }),
  example: {
    input: { url: 'https://example.com' },
    output: {
      pages: [
        { url: 'https://example.com', title: 'Example Domain', content: '# Example Domain', status_code: 200 },
        { url: 'https://example.com/about', title: 'About', content: '# About us', status_code: 200 },
      ],
      status: 'completed',
      total: 2,
      completed: 2,
      base_url: 'https://example.com',
      usage: { credits: 2 },
    },
  },
  unit: 'token',
})
