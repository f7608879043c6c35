import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { LinkupSource, linkupSource, searchTokens } from '../../vendors/linkup.ts'
import { refuseFilters } from '../../inputs/refuse-filters.ts'
import search from './feature.ts'

// https://docs.linkup.so/pages/documentation/api-reference/endpoint/post-search. It returns pages, or an answer with its
// sources.

const Text = optional(Type.String(), 'May be missing.')
const Hit = Type.Object({ type: Text, url: Type.String(), name: Text, content: Text, favicon: Text })

const readReply = replyReader(
  Type.Object({
    results: Type.Optional(Type.Array(Hit)),
    answer: Text,
    sources: Type.Optional(Type.Array(LinkupSource)),
  }),
)

export default adapter(search, async (task, tools) => {
  const { query, max_results, depth, country, include_domains, exclude_domains } = task.input
  refuseFilters({ country })
  const filters = { includeDomains: include_domains, excludeDomains: exclude_domains }
  const fallback = { depth: depth ?? 'standard', outputType: 'searchResults', maxResults: max_results, ...filters }
  const options = { ...fallback, ...task.params }
  const payload = jsonPayload({ ...options, q: query })
  const original = await askForJson(tools, { path: '/search', payload }, readReply)
  const { results = [], answer, sources = [] } = original
  const pages = results.filter(({ type }) => type !== 'image')
  const images = results.filter(({ type }) => type === 'image')
  const output = {
    query,
    results: pages.map(({ url, name, content, favicon }) => ({ url, title: name, content, favicon })),
    answer,
    sources: sources.map(linkupSource),
    images: images.map(({ url, name }) => ({ url, description: name })),
  }
  return { output, original, units: searchTokens(options.depth) }
})
