import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { webUsageField } from '../../fields/web-page.ts'

const Link = closedObject({
  url: Type.String({ description: 'URL of the page.' }),
  title: optional(Type.String(), 'Its title.'),
  description: optional(Type.String(), 'How it describes itself.'),
})

export default feature({
  feature: 'web',
  subfeature: 'map',
  fullname: 'Web: Site map',
  description: 'Lists the pages of a web site without reading them.',
  mode: 'sync',
  input: closedObject({ url: Type.String({ description: 'URL of the site.' }) }),
  output: closedObject({
    url: Type.String({ description: 'URL of the site.' }),
    links: optional(Type.Array(Link), 'The pages that were found.'),
    base_url: optional(Type.String(), 'The base of relative links.'),
    usage: webUsageField,
  }),
  example: {
    input: { url: 'https://example.com' },
    output: {
      url: 'https://example.com',
      links: [
        { url: 'https://example.com/about', title: 'About' },
        { url: 'https://example.com/contact', title: 'Contact', description: 'How to reach us.' },
      ],
      base_url: 'https://example.com',
      usage: { credits: 1 },
    },
  },
  unit: 'token',
})
