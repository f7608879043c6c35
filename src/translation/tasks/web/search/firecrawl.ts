import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { creditsOf } from '../../vendors/firecrawl.ts'
import { refuseFilters } from '../../inputs/refuse-filters.ts'
import search from './feature.ts'

// https://docs.firecrawl.dev/api-reference/endpoint/search. Ten results cost two credits. There is no depth.

const CREDITS = 2
const RESULTS = 10

const Text = optional(Type.String(), 'May be missing.')
const Hit = Type.Object({ url: Type.String(), title: Text, description: Text, markdown: Text })
const OutputImage = Type.Object({ imageUrl: Type.String(), title: Text })

const readReply = replyReader(
  Type.Object({
    data: Type.Object({ web: Type.Optional(Type.Array(Hit)), images: Type.Optional(Type.Array(OutputImage)) }),
    creditsUsed: Type.Optional(Type.Number({ minimum: 0 })),
  }),
)

export default adapter(search, async (task, tools) => {
  const { query, max_results, country, include_domains, exclude_domains } = task.input
  refuseFilters({ include_domains, exclude_domains })
  const payload = jsonPayload({ limit: max_results, country: country?.toUpperCase(), ...task.params, query })
  const original = await askForJson(tools, { path: '/search', payload }, readReply)
  const { web = [], images = [] } = original.data
  const results = web.map(({ url, title, description, markdown }) => ({ url, title, content: markdown ?? description }))
  const outputImages = images.map(({ imageUrl, title }) => ({ url: imageUrl, description: title }))
  const guess = CREDITS * Math.ceil(Math.max(1, web.length) / RESULTS)
  const { units, usage } = creditsOf(original.creditsUsed, guess)
  return { output: { query, results, images: outputImages, usage }, original, units }
})
