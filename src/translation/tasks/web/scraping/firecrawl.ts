import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { numberAt } from '../../results/loose-fields.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { creditsOf, FirecrawlPage, toWebPage } from '../../vendors/firecrawl.ts'
import scraping from './feature.ts'

// https://docs.firecrawl.dev/api-reference/endpoint/scrape

const readReply = replyReader(Type.Object({ data: FirecrawlPage }))

export default adapter(scraping, async (task, tools) => {
  const { url } = task.input
  const payload = jsonPayload({ formats: ['markdown', 'links'], ...task.params, url })
  const original = await askForJson(tools, { path: '/scrape', payload }, readReply)
  const { units, usage } = creditsOf(numberAt(original.data.metadata, 'creditsUsed'), 1)
  return { output: { ...toWebPage(original.data, url), usage }, original, units }
})
