import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { WebImage, WebSource, webUsageField } from '../../fields/web-page.ts'

const Hit = closedObject({
  title: optional(Type.String(), 'Title of the page.'),
  url: Type.String({ description: 'URL of the page.' }),
  content: optional(Type.String(), 'The passage that matches the query.'),
  score: optional(Type.Number(), "Relevance, on the provider's own scale."),
  favicon: optional(Type.String(), 'URL of the icon.'),
  images: optional(Type.Array(WebImage), 'Images on the page.'),
})

/** No provider filters by more domains. */
const MAX_DOMAINS = 100

const Domains = Type.Array(Type.String({ minLength: 1, maxLength: 253 }), { maxItems: MAX_DOMAINS })

export default feature({
  feature: 'web',
  subfeature: 'search',
  fullname: 'Web: Search',
  description: 'Searches the web.',
  mode: 'sync',
  input: closedObject({
    query: Type.String({ description: 'The query.' }),
    max_results: optional(Type.Integer({ minimum: 1 }), 'Maximum number of pages.'),
    depth: optional(Type.String(), "Depth, in the provider's words."),
    include_domains: optional(Domains, 'Only pages on these domains.'),
    exclude_domains: optional(Domains, 'No pages on these domains.'),
    country: optional(
      Type.String({ minLength: 2, maxLength: 2, examples: ['fr'] }),
      'The country whose pages come first, as its code of two letters.',
    ),
  }),
  output: closedObject({
    query: Type.String({ description: 'The query.' }),
    results: optional(Type.Array(Hit), 'The pages found, best first.'),
    answer: optional(Type.String(), 'An answer based on the pages, if the provider writes one.'),
    sources: optional(Type.Array(WebSource), 'The sources of the answer.'),
    images: optional(Type.Array(WebImage), 'The images found.'),
    usage: webUsageField,
  }),
  example: {
    input: { query: 'highest mountain of the Alps', max_results: 2 },
    output: {
      query: 'highest mountain of the Alps',
      results: [
        {
          title: 'Mont Blanc',
          url: 'https://encyclopedia.example/mont-blanc',
          content: 'Mont Blanc is the highest mountain of the Alps.',
          score: 0.97,
        },
        {
          title: 'The highest peaks of the Alps',
          url: 'https://peaks.example/alps',
          content: 'First comes Mont Blanc, then the Dufourspitze.',
          score: 0.82,
          favicon: 'https://peaks.example/favicon.ico',
        },
      ],
      answer: 'Mont Blanc, on the border of France and Italy.',
      usage: { credits: 2 },
    },
  },
  unit: 'token',
})
