import Type from '../../../../base/schema/type.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { webPageFields, webUsageField } from '../../fields/web-page.ts'

export default feature({
  feature: 'web',
  subfeature: 'scraping',
  fullname: 'Web: Scraping',
  description: 'Reads a web page and returns its text.',
  mode: 'sync',
  input: closedObject({ url: Type.String({ description: 'URL of the page.' }) }),
  output: closedObject({ ...webPageFields, usage: webUsageField }),
  example: {
    input: { url: 'https://example.com' },
    output: {
      url: 'https://example.com',
      title: 'Example Domain',
      content: '# Example Domain\n\nThis domain is for use in illustrative examples.',
      description: 'A page for examples.',
      status_code: 200,
      links: ['https://www.iana.org/domains/example'],
      images: [{ url: 'https://example.com/logo.png', description: 'Logo', width: 64, height: 64 }],
      favicon: 'https://example.com/favicon.ico',
      usage: { credits: 1 },
    },
  },
  unit: 'token',
})
