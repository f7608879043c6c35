import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { declined } from '../../http/declined.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { TavilyUsage, tavilyUnits } from '../../vendors/tavily.ts'
import { countryOf } from '../../fields/country-of.ts'
import search from './feature.ts'

// https://docs.tavily.com/documentation/api-reference/endpoint/search

const Text = optional(Type.String(), 'May be missing.')

const Hit = Type.Object({
  url: Type.String(),
  title: Text,
  content: Text,
  score: optional(Type.Number(), 'Relevance.'),
  favicon: Text,
})

/** Includes descriptions if they are requested. */
const OutputImage = Type.Union([Type.String(), Type.Object({ url: Type.String(), description: Text })])

const readReply = replyReader(
  Type.Object({
    answer: Text,
    results: Type.Array(Hit),
    images: optional(Type.Array(OutputImage), 'Images.'),
    usage: TavilyUsage,
  }),
)

export default adapter(search, async (task, tools) => {
  const { query, max_results, depth, include_domains, exclude_domains, country } = task.input
  const filters = { include_domains, exclude_domains, country: country == null ? undefined : countryNamed(country) }
  const options = { search_depth: depth, max_results, ...filters, ...task.params }
  const payload = jsonPayload({ ...options, query, include_usage: true })
  const original = await askForJson(tools, { path: '/search', payload }, readReply)
  const { answer, usage } = original
  const results = original.results.map(({ url, title, content, score, favicon }) => ({
    title,
    url,
    content,
    score,
    favicon,
  }))
  const images = original.images?.map((one) => {
    return typeof one === 'string' ? { url: one } : { url: one.url, description: one.description }
  })
  return { output: { query, results, answer, images, usage }, original, units: tavilyUnits(usage, 1) }
})

/** It knows countries by their English names. */
function countryNamed(code: string): string {
  const { name, alpha2 } = countryOf(code)
  if (!name || !alpha2) throw declined(`there is no country '${code}'`, 400, 'unknown_country')
  return name.toLowerCase()
}
