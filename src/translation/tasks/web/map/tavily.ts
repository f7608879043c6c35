import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { TavilyUsage, tavilyUnits } from '../../vendors/tavily.ts'
import map from './feature.ts'

// https://docs.tavily.com/documentation/api-reference/endpoint/map. Ten pages cost one credit.

const PAGES_PER_CREDIT = 10

const readReply = replyReader(
  Type.Object({
    base_url: optional(Type.String(), 'Where it began.'),
    results: Type.Array(Type.String()),
    usage: TavilyUsage,
  }),
)

export default adapter(map, async (task, tools) => {
  const { url } = task.input
  const payload = jsonPayload({ ...task.params, url, include_usage: true })
  const original = await askForJson(tools, { path: '/map', payload }, readReply)
  const { base_url, results, usage } = original
  const units = tavilyUnits(usage, results.length / PAGES_PER_CREDIT)
  return { output: { url, links: results.map((one) => ({ url: one })), base_url, usage }, original, units }
})
