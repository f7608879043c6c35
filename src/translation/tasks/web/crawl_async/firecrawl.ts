import { jsonPayload } from '../../http/payload.ts'
import { isDone, startJob, stopJob } from '../../http/slow-job.ts'
import { slowAdapter } from '../../feature.ts'
import { creditsOf, firecrawlState, toWebPage } from '../../vendors/firecrawl.ts'
import crawl from './feature.ts'

// https://docs.firecrawl.dev/api-reference/endpoint/crawl-post. By default it reads ten thousand pages, all of them billed.

const MAX_PAGES = 100

type Ticket = { id: string; url: string }

export default slowAdapter<typeof crawl, Ticket>(crawl, {
  async start(task, tools) {
    const { url } = task.input
    const options = { limit: MAX_PAGES, scrapeOptions: { formats: ['markdown', 'links'] }, ...task.params }
    const payload = jsonPayload({ ...options, url, webhook: undefined })
    const { id } = await startJob(tools, '/crawl', payload)
    return { id, url }
  },
  async poll({ id, url }, tools) {
    const original = await firecrawlState(tools, `/crawl/${id}`)
    const { status, total, completed, data = [] } = original
    if (!isDone(original, tools)) return 'pending'
    const pages = data.map((page) => toWebPage(page))
    const { units, usage } = creditsOf(original.creditsUsed, data.length)
    return { output: { pages, status, total, completed, base_url: url, usage }, original, units }
  },
  cancel: ({ id }, tools) => stopJob(tools, `/crawl/${id}`),
})
