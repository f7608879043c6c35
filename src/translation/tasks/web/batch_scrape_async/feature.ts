import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { WebPage, webFailuresField, webUsageField } from '../../fields/web-page.ts'

export default feature({
  feature: 'web',
  subfeature: 'batch_scrape_async',
  fullname: 'Web: Batch scraping',
  description: 'Reads many web pages and returns their text.',
  mode: 'async',
  input: closedObject({ urls: Type.Array(Type.String(), { maxItems: 10_000, description: 'URLs of the pages.' }) }),
  output: closedObject({
    pages: optional(Type.Array(WebPage), 'The pages that could be read.'),
    failed_results: webFailuresField,
    usage: webUsageField,
  }),
  example: {
    input: { urls: ['https://example.com/', 'https://example.com/gone'] },
    output: {
      pages: [
        {
          url: 'https://example.com/',
          title: 'Example Domain',
          content: '# Example Domain\n\nThis domain is for use in illustrative examples.',
          status_code: 200,
          links: ['https://www.iana.org/domains/example'],
        },
      ],
      failed_results: [{ url: 'https://example.com/gone', error: 'not found' }],
      usage: { credits: 1 },
    },
  },
  unit: 'token',
})
