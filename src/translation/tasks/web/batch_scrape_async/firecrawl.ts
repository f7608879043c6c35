import Type from '../../../../base/schema/type.ts'
import { freeObject } from '../../../../base/schema/fields.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { textAt } from '../../results/loose-fields.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { isDone, startJob, stopJob } from '../../http/slow-job.ts'
import { slowAdapter, type Tools } from '../../feature.ts'
import { creditsOf, firecrawlState, toWebPage } from '../../vendors/firecrawl.ts'
import batchScrape from './feature.ts'

// https://docs.firecrawl.dev/api-reference/endpoint/batch-scrape. Failed pages are fetched in a separate request.

const readErrors = replyReader(Type.Object({ errors: Type.Array(freeObject()) }))

type Ticket = { id: string }

export default slowAdapter<typeof batchScrape, Ticket>(batchScrape, {
  async start(task, tools) {
    const options = { formats: ['markdown', 'links'], ignoreInvalidURLs: true, ...task.params }
    const payload = jsonPayload({ ...options, urls: task.input.urls, webhook: undefined })
    return await startJob(tools, '/batch/scrape', payload)
  },
  async poll({ id }, tools) {
    const path = `/batch/scrape/${id}`
    const original = await firecrawlState(tools, path)
    const { data = [] } = original
    if (!isDone(original, tools)) return 'pending'
    const pages = data.map((page) => toWebPage(page))
    const failed_results = await failuresOf(tools, path)
    const { units, usage } = creditsOf(original.creditsUsed, data.length)
    return { output: { pages, failed_results, usage }, original, units }
  },
  cancel: ({ id }, tools) => stopJob(tools, `/batch/scrape/${id}`),
})

async function failuresOf(tools: Tools, path: string) {
  const { errors } = await askForJson(tools, { path: `${path}/errors` }, readErrors)
  return errors.map((error) => ({ url: textAt(error, 'url'), error: textAt(error, 'error') }))
}
