import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { TavilyPage, TavilyUsage, tavilyPage, tavilyUnits } from '../../vendors/tavily.ts'
import crawl from './feature.ts'

// https://docs.tavily.com/documentation/api-reference/endpoint/crawl. It answers when it is done. Ten pages cost one credit to
// find and two to read.

const PAGES_PER_CREDIT = 10
const CREDITS = 3

const readReply = replyReader(
  Type.Object({
    base_url: optional(Type.String(), 'Where it began.'),
    results: Type.Array(TavilyPage),
    usage: TavilyUsage,
  }),
)

export default adapter(crawl, async (task, tools) => {
  const payload = jsonPayload({ include_favicon: true, ...task.params, url: task.input.url, include_usage: true })
  const original = await askForJson(tools, { path: '/crawl', payload }, readReply)
  const { results, base_url, usage } = original
  const pages = results.map(tavilyPage)
  const output = { pages, status: 'completed', total: pages.length, completed: pages.length, base_url, usage }
  return { output, original, units: tavilyUnits(usage, (CREDITS * results.length) / PAGES_PER_CREDIT) }
})
