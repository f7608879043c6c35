import Type from '../../../../base/schema/type.ts'
import { freeObject } from '../../../../base/schema/fields.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { TavilyPage, TavilyUsage, tavilyPage, tavilyUnits } from '../../vendors/tavily.ts'
import scraping from './feature.ts'

// https://docs.tavily.com/documentation/api-reference/endpoint/extract. Pages that could not be read are reported with status
// 200.

const readReply = replyReader(
  Type.Object({
    results: Type.Array(TavilyPage),
    failed_results: Type.Optional(Type.Array(freeObject())),
    usage: TavilyUsage,
  }),
)

export default adapter(scraping, async (task, tools) => {
  const payload = jsonPayload({ include_favicon: true, ...task.params, urls: [task.input.url], include_usage: true })
  const original = await askForJson(tools, { path: '/extract', payload }, readReply)
  const [page] = original.results
  if (!page) throw abandoned(tools, null, original.failed_results?.[0]?.error)
  const { usage } = original
  return { output: { ...tavilyPage(page), usage }, original, units: tavilyUnits(usage, 1) }
})
