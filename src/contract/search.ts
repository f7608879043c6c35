import Type, { type Static } from '../base/schema/type.ts'
import { closed, freeObject, nullable, optional } from '../base/schema/fields.ts'
import { TaskModels } from './task-models.ts'

const MAX_RESULTS = 20
const DEFAULT_RESULTS = 10
/** Perplexity's limit. */
const MAX_DOMAINS = 20

export const SearchRequest = Type.Object(
  {
    query: Type.String({ minLength: 1, description: 'The query.', examples: ['highest mountain of the Alps'] }),
    model: optional(
      Type.String(),
      'The provider that searches, such as `tavily`. GET /v3/search/models lists them. The path may name it instead.',
      { examples: ['tavily'] },
    ),
    max_results: optional(Type.Integer({ minimum: 1, maximum: MAX_RESULTS }), 'The maximum number of results.', {
      default: DEFAULT_RESULTS,
    }),
    search_domain_filter: optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 254 }), { maxItems: MAX_DOMAINS }),
      'Only pages on these domains or, if every one begins with `-`, no pages on them.',
    ),
    country: optional(
      Type.String({ minLength: 2, maxLength: 2 }),
      'The country whose pages come first, as its code of two letters.',
    ),
    fallbacks: optional(Type.Array(Type.String(), { maxItems: 3 }), 'Providers to try, in this order, if one fails.'),
    user: optional(Type.String(), 'Your own identifier of the end user. It is not passed on.'),
    metadata: optional(freeObject(), 'Your own metadata of this call. It is not passed on.'),
  },
  { title: 'SearchRequest', description: "A web search, in the format of Perplexity's search API.", ...closed },
)
export type SearchRequest = Static<typeof SearchRequest>

export const maxResultsOf = ({ max_results }: SearchRequest): number => max_results ?? DEFAULT_RESULTS

const result = Type.Object({
  title: Type.String({ description: 'Title of the page. Empty if the provider gives none.' }),
  url: Type.String({ description: 'URL of the page.' }),
  snippet: Type.String({ description: 'The passage that matches the query. Empty if the provider gives none.' }),
  date: nullable(Type.String(), 'When the page was published. No provider says so today.'),
  last_updated: nullable(Type.String(), 'When the page was changed. No provider says so today.'),
})

export const SearchReply = Type.Object(
  {
    id: Type.String({ description: 'Identifies this answer.' }),
    results: Type.Array(result, { description: 'The pages found, the best one first.' }),
    provider: Type.String({ description: 'The provider that searched.' }),
    cost: nullable(Type.Number(), 'What the search cost, in USD. Null if the price is not known.'),
  },
  { title: 'SearchReply', description: 'The pages found.' },
)
export type SearchReply = Static<typeof SearchReply>

export const SearchModels = TaskModels({
  title: 'SearchModels',
  description: 'The providers that this key can search with now.',
})
